'use client'

import { Box, chakra } from '@chakra-ui/react'
import { useEffect, useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { PartBoundary } from '@/components/app/part-boundary'
import { Tooltip } from '@/components/app/tooltip'
import { Button } from '@/components/button'
import { filterParams, type TicketFilter } from '@/lib/api/support-api'
import type { Ticket } from '@/lib/api/types'
import { BulkReport } from '../bulk-report'
import { EmptyList } from '../empty-list'
import { ExportButton } from '@/features/session/export-button'
import styles from '../list.module.css'
import { MailsButton } from '../mails/mails-button'
import { QuestionDialog } from '../question'
import { useIsAdmin } from '../staff-role'
import { StillTrying } from '@/components/app/still-trying'
import { type Selection, useSelection } from '../use-selection'
import { TicketFilterBar } from './filter-bar'
import { ListHead } from './list-head'
import tools from './list-tools.module.css'
import { NewTicketDialog } from './new-ticket-dialog'
import { NextTicket, ticketAfter } from './next-ticket'
import { NoticesDialog } from './notices-dialog'
import { Pagination } from './pagination'
import { ShortcutDialog } from './shortcut-dialog'
import { useShortcutSetting } from './shortcut-setting'
import { BrokenCard, TicketCard } from './ticket-card'
import { TicketDialog } from './ticket-dialog'
import { TicketSkeleton } from './ticket-skeleton'
import { useBulkUpdate } from './use-bulk-update'
import { useListNavigation } from './use-list-navigation'
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
  const [next, setNext] = useState<Ticket>()
  const nextButton = useRef<HTMLButtonElement>(null)
  const [keysShown, setKeysShown] = useState(false)
  const [noticesShown, setNoticesShown] = useState(false)
  const [writing, setWriting] = useState(false)
  const keys = useShortcutSetting()
  const searchBox = useRef<HTMLInputElement>(null)
  const top = useRef<HTMLDivElement>(null)
  const navigation = useListNavigation(top)

  useTicketKeys({
    tickets,
    selection,
    navigation,
    searchBox,
    on: keys.on,
    onOpen: view.open,
    onHelp: () => setKeysShown(true),
  })

  const following = view.view.ticket ? undefined : next
  // After the dialog has given the focus back: Enter goes on.
  useEffect(() => {
    if (following) nextButton.current?.focus()
  }, [following])

  const goTo = (page: number) => {
    view.goTo(page)
    navigation.reset()
    top.current?.scrollIntoView({ block: 'start' })
  }
  const filtered = Object.values(list.filter).some((value) => value !== '')

  return (
    <div className={styles.list}>
      <h2 className="visually-hidden">Support Tickets</h2>
      <TicketFilterBar
        tickets={view}
        searchBox={searchBox}
        refreshing={list.fetching}
        onRefresh={() => void list.refetch()}
      />
      {list.failure && <Alert>{list.failure}</Alert>}
      <StillTrying waiting={list.loading} />
      {following && (
        <NextTicket
          ref={nextButton}
          ticket={following}
          onOpen={() => {
            setNext(undefined)
            view.open(following.id)
          }}
        />
      )}
      <BulkReport report={bulk.report} onDismiss={bulk.dismiss} />
      <Box ref={top} aria-busy={list.fetching}>
        {(shown || list.loading) && (
          <ListHead
            shown={shown}
            loading={list.loading}
            searched={list.filter.search !== ''}
            selection={selection}
            bulk={bulk}
            onStatus={bulk.start}
          >
            <ListTools
              filter={list.filter}
              onNew={() => setWriting(true)}
              onNotices={() => setNoticesShown(true)}
              onHelp={() => setKeysShown(true)}
            />
          </ListHead>
        )}
        {!shown && list.loading && <TicketSkeleton />}
        <TicketList
          list={list}
          selection={selection}
          waiting={bulk.progress !== null}
          onOpen={view.open}
          onTag={(tag) => view.filter({ tag })}
        />
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
        onClose={() => void view.close()}
        onDone={() => {
          if (view.close()) setNext(ticketAfter(tickets, view.view.ticket))
        }}
      />
      <QuestionDialog question={bulk.question} onClose={bulk.closeQuestion} />
      <NewTicketDialog
        open={writing}
        onClose={() => setWriting(false)}
        onOpened={({ id }) => {
          setWriting(false)
          view.open(id)
        }}
      />
      <NoticesDialog open={noticesShown} onClose={() => setNoticesShown(false)} />
      <ShortcutDialog
        open={keysShown}
        onClose={() => setKeysShown(false)}
        on={keys.on}
        onChange={keys.set}
      />
    </div>
  )
}

interface ListToolsProps {
  filter: TicketFilter
  onNew: () => void
  onNotices: () => void
  onHelp: () => void
}

/** What can be done with the list as a whole; its file is for admins. */
function ListTools({ filter, onNew, onNotices, onHelp }: ListToolsProps) {
  const isAdmin = useIsAdmin()
  return (
    <div className={tools.tools}>
      <Button variant="ghost" size="dense" data-event="new_ticket_for" onClick={onNew}>
        New ticket
      </Button>
      <Button variant="ghost" size="dense" data-event="show_notices" onClick={onNotices}>
        Notifications
      </Button>
      <Tooltip text="Keyboard" keys="?">
        <Button
          variant="ghost"
          size="dense"
          className={tools.keys}
          data-event="show_keys"
          onClick={onHelp}
        >
          Keys
        </Button>
      </Tooltip>
      {isAdmin && (
        <>
          <MailsButton service="support" variant="ghost" size="dense" />
          <ExportButton
            what="tickets"
            route="export-support-tickets"
            params={filterParams({ ...filter, sort: '' })}
            fallbackName="support-tickets.csv"
          />
        </>
      )}
    </div>
  )
}

interface TicketListProps {
  list: ReturnType<typeof useTicketList>
  selection: Selection<Ticket>
  /** A change of the selected is under way. */
  waiting: boolean
  onOpen: (id: string) => void
  onTag: (tag: string) => void
}

/** The tickets of the page, paler while they are those of the last one. */
function TicketList({ list, selection, waiting, onOpen, onTag }: TicketListProps) {
  return (
    <chakra.ul
      role="list"
      aria-label="Tickets"
      opacity={list.stale ? 0.55 : 1}
      transition="opacity var(--duration-fast)"
    >
      {list.tickets.map((ticket) => (
        <PartBoundary key={ticket.id} resetKey={ticket} fallback={<BrokenCard />}>
          <TicketCard
            ticket={ticket}
            snippet={list.snippets[ticket.id]}
            search={list.filter.search}
            selected={selection.has(ticket)}
            waiting={waiting}
            onSelect={(on) => selection.toggle(ticket, on)}
            onOpen={() => onOpen(ticket.id)}
            onTag={onTag}
          />
        </PartBoundary>
      ))}
    </chakra.ul>
  )
}
