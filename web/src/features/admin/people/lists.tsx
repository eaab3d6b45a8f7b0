import Link from 'next/link'
import { useEffect, useRef, useState } from 'react'
import { LoadMore } from '@/components/app/load-more'
import { PartBoundary } from '@/components/app/part-boundary'
import { TicketBadge } from '@/components/app/tickets/badges'
import { Button } from '@/components/button'
import { useGetAuditLogInfiniteQuery } from '@/lib/api/admin-api'
import { PERSON_TICKETS, useGetPersonTicketsQuery } from '@/lib/api/support-api'
import type { Ticket, WaitlistUser, WaitlistUserPage } from '@/lib/api/types'
import { useGetWaitlistUsersInfiniteQuery } from '@/lib/api/waitlist-api'
import { formatDay } from '@/lib/dates'
import { titled } from '@/lib/words'
import { Fact } from '../facts'
import { AuditRow } from '../audit/audit-row'
import { useIsAdmin } from '../staff-role'
import { NewTicketDialog } from '../tickets/new-ticket-dialog'
import { isUndelivered, undeliveredText } from '../waitlist/waitlist-filter'
import { ApprovalActions } from './approval-actions'
import { PartCard } from './part-card'
import styles from './person.module.css'

/** Of several entries, the first of these decides, as in the waitlist itself. */
const BEST = ['approved', 'pending', 'rejected']

/** Any other status comes last. */
function rank({ status }: WaitlistUser) {
  const at = BEST.indexOf(status)
  return at < 0 ? BEST.length : at
}

/**
 * The entry of an address, or one that was claimed by an account with the address: entries name the account's address,
 * not its id. The search finds longer addresses, too.
 */
export function entryOf(
  email: string,
  pages: readonly WaitlistUserPage[],
): WaitlistUser | undefined {
  return pages
    .flatMap(({ data }) => data)
    .filter((entry) => entry.email === email || entry.claimed_email === email)
    .sort((a, b) => rank(a) - rank(b))[0]
}

/** The entries that the waitlist finds for an address; loading until they have the best of its own, or there are no more. */
export function useEntriesOf(email: string) {
  const query = useGetWaitlistUsersInfiniteQuery(
    { status: '', search: email },
    { refetchOnMountOrArgChange: true },
  )
  const { currentData, hasNextPage, isFetching, isError, fetchNextPage } = query
  const entry = currentData && entryOf(email, currentData.pages)
  const undecided = hasNextPage && !(entry && rank(entry) === 0)
  const goOn = undecided && !isFetching && !isError
  useEffect(() => {
    // A page may arrive without a render in which it was on its way.
    if (goOn && currentData) void fetchNextPage()
  }, [goOn, currentData, fetchNextPage])
  return { ...query, currentData: undecided ? undefined : currentData }
}

/** Somebody's place on the waitlist. */
export function WaitlistCard({ email }: { email: string }) {
  const isAdmin = useIsAdmin()
  const query = useEntriesOf(email)
  return (
    <PartCard title="Waitlist" query={query} failed="Failed to load the waitlist entry">
      {({ pages }) => {
        const entry = entryOf(email, pages)
        if (!entry) return <p className={styles.quiet}>Not on the waitlist.</p>
        return (
          <div tabIndex={-1} className={styles.entry}>
            <dl className={styles.facts}>
              <Fact name="Status">{titled(entry.status)}</Fact>
              <Fact name="Joined">{formatDay(entry.created_at)}</Fact>
              {entry.email !== email && (
                <Fact name="Joined as" wide>
                  <bdi dir="ltr">{entry.email}</bdi>
                </Fact>
              )}
              {entry.invitation_expired_at && (
                <Fact name="Invitation expired">{formatDay(entry.invitation_expired_at)}</Fact>
              )}
              {entry.channel && <Fact name="Update channel">{entry.channel}</Fact>}
              {isUndelivered(entry) && (
                <Fact name="Email" wide>
                  {undeliveredText(entry)}
                </Fact>
              )}
            </dl>
            {entry.status === 'approved' && isAdmin && (
              <ApprovalActions entry={entry} email={email} />
            )}
            <p className={styles.quiet}>
              <Link
                href={`/admin?tab=users&view=waitlist&search=${encodeURIComponent(email)}`}
                prefetch={false}
                className={styles.link}
              >
                Open in the waitlist
              </Link>
            </p>
          </div>
        )
      }}
    </PartCard>
  )
}

/** The latest tickets of somebody. */
export function TicketsCard({ email }: { email: string }) {
  const query = useGetPersonTicketsQuery(email, { refetchOnMountOrArgChange: true })
  const [writing, setWriting] = useState(false)
  return (
    <PartCard title="Tickets" query={query} failed="Failed to load the tickets">
      {({ tickets, more }) => (
        <>
          {tickets.length > 0 ? (
            <TicketRows label="Tickets" tickets={tickets} />
          ) : (
            <p className={styles.quiet}>
              {more
                ? `None of theirs among the newest ${PERSON_TICKETS} tickets that name this address.`
                : 'No tickets.'}
            </p>
          )}
          <div className={styles.actions}>
            <Button
              variant="secondary"
              size="dense"
              data-event="new_ticket_for"
              onClick={() => setWriting(true)}
            >
              New ticket
            </Button>
          </div>
          <NewTicketDialog
            open={writing}
            email={email}
            onClose={() => setWriting(false)}
            onOpened={() => setWriting(false)}
          />
        </>
      )}
    </PartCard>
  )
}

interface TicketRowsProps {
  label: string
  tickets: readonly Ticket[]
  /** Beside what is being worked on. */
  newTab?: boolean
}

/** Tickets that can be opened. */
export function TicketRows({ label, tickets, newTab = false }: TicketRowsProps) {
  return (
    <ul role="list" aria-label={label}>
      {tickets.map((ticket) => (
        <li key={ticket.id} className={styles.row}>
          <PartBoundary resetKey={ticket} fallback={<Broken ticket={ticket} />}>
            <TicketRow ticket={ticket} newTab={newTab} />
          </PartBoundary>
        </li>
      ))}
    </ul>
  )
}

/** As much of a message as a row shows, without half a character at its end. */
const beginning = (text: string) =>
  text.length > 80
    ? `${text
        .slice(0, 80)
        .replace(/[\uD800-\uDBFF]$/, '')
        .trimEnd()}…`
    : text

function TicketRow({ ticket, newTab }: { ticket: Ticket; newTab: boolean }) {
  return (
    <>
      <div className={styles.words}>
        <Link
          href={`/admin?tab=tickets&ticket=${ticket.id}`}
          prefetch={false}
          className={styles.link}
          {...(newTab && { target: '_blank' })}
        >
          {ticket.ticket_id}
          {newTab && <span className="visually-hidden"> in a new tab</span>}
        </Link>{' '}
        <bdi>{ticket.subject ?? beginning(ticket.message)}</bdi>
        <p className={styles.quiet}>{formatDay(ticket.created_at)}</p>
      </div>
      <TicketBadge status={ticket.status} />
    </>
  )
}

function Broken({ ticket }: { ticket: Ticket }) {
  return <p className={styles.quiet}>{ticket.ticket_id} could not be shown.</p>
}

/** What staff did to somebody. */
export function HistoryCard({ about }: { about: string }) {
  const query = useGetAuditLogInfiniteQuery(
    { action: '', search: '', from: '', to: '', about },
    { refetchOnMountOrArgChange: true, refetchCachedPages: false },
  )
  const list = useRef<HTMLDivElement>(null)
  return (
    <PartCard title="What staff did" query={query} failed="Failed to load what staff did">
      {({ pages }) => {
        const entries = pages.flatMap(({ data }) => data)
        if (entries.length === 0) return <p className={styles.quiet}>Nothing yet.</p>
        return (
          <>
            <div ref={list} tabIndex={-1} role="list" aria-label="What staff did">
              {entries.map((entry) => (
                <AuditRow key={entry.id} entry={entry} />
              ))}
            </div>
            <LoadMore list={query} listRef={list} />
          </>
        )
      }}
    </PartCard>
  )
}
