'use client'

import { Box, Button, chakra, Flex } from '@chakra-ui/react'
import { type Ref, useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Tooltip } from '@/components/app/tooltip'
import { filterParams, type TicketFilter } from '@/lib/api/support-api'
import type { StaffTicketStatus, Ticket } from '@/lib/api/types'
import { BulkConfirm } from './bulk-confirm'
import { BulkResult } from '../bulk-result'
import { EmptyList } from '../empty-list'
import { ExportButton } from '../export-button'
import { TicketFilterBar } from './filter-bar'
import { ListHead } from './list-head'
import { Pagination } from './pagination'
import { ShortcutDialog } from './shortcut-dialog'
import { useShortcutSetting } from './shortcut-setting'
import { TicketCard } from './ticket-card'
import { TicketDialog } from './ticket-dialog'
import { TicketSkeleton } from './ticket-skeleton'
import { bulkReport, useBulkUpdate } from './use-bulk-update'
import { useCursor } from './use-cursor'
import { type Selection, useSelection } from '../use-selection'
import { useTicketKeys } from './use-ticket-keys'
import { useTicketList } from './use-ticket-list'
import { useTicketView } from './use-ticket-view'

/** The support tickets: find, read, answer, and change many at once. */
export function TicketsView() {
  const view = useTicketView()
  const list = useTicketList(view)
  const { tickets, shown } = list
  const selection = useSelection(tickets, JSON.stringify([list.filter, view.view.page]))
  const bulk = useBulkUpdate(selection)
  const [asking, setAsking] = useState<StaffTicketStatus | null>(null)
  const [keysShown, setKeysShown] = useState(false)
  const keys = useShortcutSetting()
  const searchBox = useRef<HTMLInputElement>(null)
  const top = useRef<HTMLDivElement>(null)
  const cards = useRef<HTMLUListElement>(null)
  const cursor = useCursor(top)

  useTicketKeys({
    tickets,
    selection,
    cursor,
    searchBox,
    on: keys.on,
    onOpen: view.open,
    onHelp: () => setKeysShown(true),
  })

  const goTo = (page: number) => {
    view.goTo(page)
    cursor.reset()
    top.current?.scrollIntoView({ block: 'start' })
    // The first and the last page disable the button that led to them.
    const end = page === 1 || page === shown?.pagination.totalPages
    if (end) cards.current?.focus({ preventScroll: true })
  }
  const filtered = Object.values(list.filter).some((value) => value !== '')

  return (
    <Flex direction="column" gap="5">
      <h2 className="visually-hidden">Support Tickets</h2>
      <TicketFilterBar
        tickets={view}
        searchBox={searchBox}
        refreshing={list.fetching}
        onRefresh={() => void list.refetch()}
      />
      {list.failure && <Alert>{list.failure}</Alert>}
      {bulk.outcome && <BulkResult {...bulkReport(bulk.outcome)} onDismiss={bulk.dismiss} />}
      <Box ref={top} aria-busy={list.fetching}>
        {(shown || list.loading) && (
          <ListHead
            shown={shown}
            loading={list.loading}
            selection={selection}
            busy={bulk.busy}
            onStatus={(status) =>
              status === 'in_progress' ? void bulk.apply(status) : setAsking(status)
            }
          >
            <ListTools filter={list.filter} onHelp={() => setKeysShown(true)} />
          </ListHead>
        )}
        {!shown && list.loading && <TicketSkeleton />}
        <TicketList ref={cards} list={list} selection={selection} onOpen={view.open} />
        {shown && tickets.length === 0 && !list.stale && (
          <Box mt="5">
            <EmptyList title="No tickets found" onClear={filtered ? view.clear : undefined}>
              No support tickets match your current filters.
            </EmptyList>
          </Box>
        )}
      </Box>
      {shown && (
        <Pagination page={view.view.page} totalPages={shown.pagination.totalPages} onPage={goTo} />
      )}
      <TicketDialog
        id={view.view.ticket}
        listed={tickets.find(({ id }) => id === view.view.ticket)}
        onClose={view.close}
      />
      <BulkConfirm
        status={asking}
        count={selection.selected.length}
        onConfirm={(status) => void bulk.apply(status)}
        onClose={() => setAsking(null)}
      />
      <ShortcutDialog
        open={keysShown}
        onClose={() => setKeysShown(false)}
        on={keys.on}
        onChange={keys.set}
      />
    </Flex>
  )
}

interface ListToolsProps {
  filter: TicketFilter
  onHelp: () => void
}

/** What can be done with the list as a whole. */
function ListTools({ filter, onHelp }: ListToolsProps) {
  return (
    <>
      <Tooltip text="Keyboard" keys="?">
        <Button
          size="sm"
          variant="ghost"
          css={{ '@media (pointer: coarse)': { display: 'none' } }}
          onClick={onHelp}
        >
          Keys
        </Button>
      </Tooltip>
      <ExportButton
        what="tickets"
        route="export-support-tickets"
        params={filterParams(filter)}
        fallbackName="support-tickets.csv"
      />
    </>
  )
}

interface TicketListProps {
  ref: Ref<HTMLUListElement>
  list: ReturnType<typeof useTicketList>
  selection: Selection<Ticket>
  onOpen: (id: string) => void
}

/** The tickets of the page, paler while they are those of the last one. */
function TicketList({ ref, list, selection, onOpen }: TicketListProps) {
  return (
    <chakra.ul
      ref={ref}
      tabIndex={-1}
      role="list"
      aria-label="Tickets"
      opacity={list.stale ? 0.55 : 1}
      transition="opacity var(--duration-fast)"
    >
      {list.tickets.map((ticket) => (
        <TicketCard
          key={ticket.id}
          ticket={ticket}
          selected={selection.has(ticket)}
          onSelect={(on) => selection.toggle(ticket, on)}
          onOpen={() => onOpen(ticket.id)}
        />
      ))}
    </chakra.ul>
  )
}
