import { Button, Flex, Text } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { spaced } from '@/components/app/tickets/words'
import { TICKET_PAGE_SIZE } from '@/lib/api/support-api'
import type { StaffTicketStatus, TicketPage } from '@/lib/api/types'
import { formatCount } from '../format'
import { Check } from './check'
import type { Selection } from './use-selection'

interface ListHeadProps {
  shown: TicketPage | undefined
  loading: boolean
  selection: Selection
  busy: boolean
  onStatus: (status: StaffTicketStatus) => void
  /** What stands at the end while nothing is selected. */
  children: ReactNode
}

const statuses: readonly StaffTicketStatus[] = ['in_progress', 'resolved', 'closed']

/** '51–100 of 1,234 tickets'. */
function range({ data, pagination: { page, total } }: TicketPage): string {
  if (data.length === 0) return '0 tickets'
  const from = (page - 1) * TICKET_PAGE_SIZE
  const shown =
    total > data.length ? `${formatCount(from + 1)}–${formatCount(from + data.length)} of ` : ''
  return `${shown}${formatCount(total)} ${total === 1 ? 'ticket' : 'tickets'}`
}

/** How many tickets there are, or what to do with those that are selected. It never changes its height. */
export function ListHead(props: ListHeadProps) {
  const { shown, loading, selection, busy, onStatus, children } = props
  const count = selection.selected.length
  return (
    <Flex
      position="sticky"
      top={0}
      zIndex={2}
      wrap="wrap"
      align="center"
      columnGap={{ base: '2', lg: '5' }}
      rowGap="2"
      minH="3.5rem"
      px={{ base: '0', md: '2' }}
      py="2"
      bg="paper"
      borderBottom="1px solid {colors.line-strong}"
    >
      <Check
        aria-label="Select all tickets on this page"
        checked={selection.all}
        disabled={!shown || shown.data.length === 0 || busy}
        ref={(element: HTMLInputElement | null) => {
          if (element) element.indeterminate = count > 0 && !selection.all
        }}
        onChange={(event) => selection.toggleAll(event.target.checked)}
      />
      <Text role="status" fontSize="sm" color="muted" fontVariantNumeric="tabular-nums" me="auto">
        {count > 0 ? `${count} selected` : loading ? 'Loading tickets...' : shown && range(shown)}
      </Text>
      {count === 0 ? (
        children
      ) : (
        <Flex role="group" aria-label="Change the selected tickets" wrap="wrap" gap="2">
          {statuses.map((status) => (
            <Button
              key={status}
              size="sm"
              variant="outline"
              disabled={busy}
              onClick={() => onStatus(status)}
            >
              Set {spaced(status)}
            </Button>
          ))}
          <Button size="sm" variant="ghost" disabled={busy} onClick={selection.clear}>
            Clear
          </Button>
        </Flex>
      )}
    </Flex>
  )
}
