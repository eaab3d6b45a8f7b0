import { Box, chakra, Flex } from '@chakra-ui/react'
import Link from 'next/link'
import type { ReactNode } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import { TicketBadge } from '@/components/app/tickets/badges'
import { RetryButton } from '@/components/retry-button'
import { useGetPersonQuery } from '@/lib/api/identity-api'
import { isUnknownPerson, useGetPersonBillingInfiniteQuery } from '@/lib/api/person-api'
import { useGetTicketsQuery } from '@/lib/api/support-api'
import type { Ticket } from '@/lib/api/types'
import { useGetWaitlistUsersInfiniteQuery } from '@/lib/api/waitlist-api'
import { formatDay } from '@/lib/dates'
import { twoDecimals } from '@/lib/numbers'
import { spaced, titled } from '@/lib/words'
import { entryOf } from '../people/lists'
import styles from '../people/person.module.css'
import { useIsAdmin } from '../staff-role'
import { Fact, Facts, SectionTitle } from './ticket-facts'

interface CustomerProps {
  email: string
  /** The ticket that is open. */
  ticketId: string
}

/**
 * What staff should know of the customer before they answer. Each part is loaded and fails alone, so that the ticket can
 * be answered without it. The plan and the credits are for admins.
 */
export function Customer({ email, ticketId }: CustomerProps) {
  const isAdmin = useIsAdmin()
  return (
    <Box as="section">
      <SectionTitle>About the customer</SectionTitle>
      <Facts>
        {isAdmin && <Plan email={email} />}
        <Beta email={email} />
      </Facts>
      <OtherTickets email={email} ticketId={ticketId} />
    </Box>
  )
}

function Plan({ email }: { email: string }) {
  const account = useGetPersonQuery(email, { refetchOnMountOrArgChange: true })
  const userId = account.currentData?.id ?? ''
  const billing = useGetPersonBillingInfiniteQuery(userId, {
    skip: !userId,
    refetchOnMountOrArgChange: true,
  })
  if (!userId && isUnknownPerson(account.error)) return <Fact name="Plan">No account</Fact>
  const query = userId ? billing : { ...account, currentData: undefined }
  return (
    <>
      <LoadedFact name="Plan" query={query}>
        {({ pages: [first] }) =>
          first?.subscription
            ? `${first.subscription.plan.name}, ${spaced(first.subscription.status)}`
            : 'Free'
        }
      </LoadedFact>
      {billing.currentData && (
        <LoadedFact name="Credits left" query={billing}>
          {({ pages: [first] }) =>
            first?.credits ? twoDecimals(first.credits.balance) : 'None yet'
          }
        </LoadedFact>
      )}
    </>
  )
}

function Beta({ email }: { email: string }) {
  const query = useGetWaitlistUsersInfiniteQuery(
    { status: '', search: email },
    { refetchOnMountOrArgChange: true },
  )
  return (
    <LoadedFact name="Waitlist" query={query}>
      {({ pages }) => {
        const entry = entryOf(
          email,
          pages.flatMap(({ data }) => data),
        )
        return entry ? titled(entry.status) : 'Not on the waitlist'
      }}
    </LoadedFact>
  )
}

/** The latest others of the customer; closed until somebody wants them. */
function OtherTickets({ email, ticketId }: CustomerProps) {
  const query = useGetTicketsQuery(
    { status: '', category: '', priority: '', search: email, page: 1 },
    { refetchOnMountOrArgChange: true },
  )
  if (!query.currentData) {
    if (!query.isError) return null
    return (
      <Failure query={query}>
        <span>The other tickets could not be loaded.</span>
      </Failure>
    )
  }
  const others = query.currentData.data.filter(
    ({ id, user_email }) => user_email === email && id !== ticketId,
  )
  if (others.length === 0) return null
  return (
    <chakra.details mt="2" fontSize="sm">
      <chakra.summary py="1" color="muted" fontWeight={600} cursor="pointer">
        Other tickets ({others.length})
      </chakra.summary>
      <ul role="list" aria-label="Other tickets">
        {others.map((ticket) => (
          <OtherTicket key={ticket.id} ticket={ticket} />
        ))}
      </ul>
    </chakra.details>
  )
}

/** Opens beside the ticket that is being worked on. */
function OtherTicket({ ticket }: { ticket: Ticket }) {
  return (
    <li className={styles.row}>
      <div className={styles.words}>
        <Link
          href={`/admin?tab=tickets&ticket=${ticket.id}`}
          prefetch={false}
          target="_blank"
          className={styles.link}
        >
          {ticket.ticket_id}
          <span className="visually-hidden"> in a new tab</span>
        </Link>{' '}
        <bdi>{ticket.subject ?? ticket.message.slice(0, 80)}</bdi>
        <p className={styles.quiet}>{formatDay(ticket.created_at)}</p>
      </div>
      <TicketBadge status={ticket.status} />
    </li>
  )
}

interface Query<Data> {
  currentData?: Data | undefined
  isError: boolean
  isFetching: boolean
  refetch: () => unknown
}

interface LoadedFactProps<Data> {
  name: string
  query: Query<Data>
  children: (data: Data) => ReactNode
}

function LoadedFact<Data>({ name, query, children }: LoadedFactProps<Data>) {
  return (
    <Fact name={name}>
      {query.currentData !== undefined ? (
        <PartBoundary resetKey={query.currentData}>
          <Value data={query.currentData}>{children}</Value>
        </PartBoundary>
      ) : query.isError ? (
        <Failure query={query}>
          <span>Could not be loaded</span>
        </Failure>
      ) : (
        'Loading...'
      )}
    </Fact>
  )
}

/** Renders inside the boundary. */
function Value<Data>({ data, children }: { data: Data; children: (data: Data) => ReactNode }) {
  return children(data)
}

function Failure({ query, children }: { query: Query<unknown>; children: ReactNode }) {
  return (
    <Flex wrap="wrap" align="center" gap="3" color="danger">
      {children}
      <RetryButton retrying={query.isFetching} onRetry={() => void query.refetch()} />
    </Flex>
  )
}
