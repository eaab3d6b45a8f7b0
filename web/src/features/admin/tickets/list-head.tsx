import type { ReactNode } from 'react'
import { Button } from '@/components/button'
import { TICKET_PAGE_SIZE } from '@/lib/api/support-api'
import type { StaffTicketStatus, Ticket, TicketPage } from '@/lib/api/types'
import { whole } from '@/lib/numbers'
import { spaced } from '@/lib/words'
import { SelectionHead } from '../selection-head'
import type { Bulk } from '../use-bulk'
import type { Selection } from '../use-selection'

interface ListHeadProps {
  shown: TicketPage | undefined
  loading: boolean
  /** The list is what a search has found. */
  searched: boolean
  selection: Selection<Ticket>
  bulk: Bulk
  onStatus: (status: StaffTicketStatus) => void
  /** What stands at the end while nothing is selected. */
  children: ReactNode
}

const statuses: readonly StaffTicketStatus[] = ['in_progress', 'resolved', 'closed']

/** How many tickets a search finds at most. */
const MOST_FOUND = 500

/** '51–100 of 1,234 tickets', or '51–100 of the newest 500 tickets found'. */
function range({ data, pagination: { page, total } }: TicketPage, searched: boolean): string {
  if (data.length === 0) return '0 tickets'
  const from = (page - 1) * TICKET_PAGE_SIZE
  if (searched && total === MOST_FOUND) {
    return `${whole(from + 1)}–${whole(from + data.length)} of the newest ${whole(total)} tickets found`
  }
  const shown = total > data.length ? `${whole(from + 1)}–${whole(from + data.length)} of ` : ''
  return `${shown}${whole(total)} ${total === 1 ? 'ticket' : 'tickets'}`
}

/** How many tickets there are, or what to do with those that are selected. */
export function ListHead(props: ListHeadProps) {
  const { shown, loading, searched, selection, bulk, onStatus, children } = props
  return (
    <SelectionHead
      selection={selection}
      allLabel="Select all tickets on this page"
      selectable={shown !== undefined && shown.data.length > 0}
      bulk={bulk}
      count={loading ? 'Loading tickets...' : shown && range(shown, searched)}
      actionsLabel="Change the selected tickets"
      actions={statuses.map((status) => (
        <Button
          key={status}
          variant="secondary"
          size="dense"
          aria-disabled={bulk.progress !== null}
          data-event={`set_tickets_${status}`}
          onClick={() => onStatus(status)}
        >
          Set {spaced(status)}
        </Button>
      ))}
    >
      {children}
    </SelectionHead>
  )
}
