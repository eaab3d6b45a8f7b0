import { Box, chakra } from '@chakra-ui/react'
import type { ReactNode } from 'react'
import { LoadFailure } from '@/components/app/load-failure'
import { isUnknownPerson, useGetPersonQuery } from '@/lib/api/identity-api'
import { useGetPersonBillingInfiniteQuery } from '@/lib/api/person-api'
import { PERSON_TICKETS, useGetPersonTicketsQuery } from '@/lib/api/support-api'
import { spaced, titled } from '@/lib/words'
import { Fact } from '../facts'
import { creditsText, planText } from '../people/billing-card'
import { entryOf, TicketRows, useEntriesOf } from '../people/lists'
import { Part } from '../people/part-card'
import { useIsAdmin } from '../staff-role'
import { Facts, SectionTitle } from './ticket-facts'

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
      <LoadedFact name="Plan" failed="Failed to load plan and credits" query={query}>
        {({ pages: [first] }) =>
          first &&
          [planText(first), first.subscription && spaced(first.subscription.status)]
            .filter(Boolean)
            .join(', ')
        }
      </LoadedFact>
      {billing.currentData && (
        <LoadedFact name="Credits left" failed="Failed to load the credits" query={billing}>
          {({ pages: [first] }) => first && creditsText(first)}
        </LoadedFact>
      )}
    </>
  )
}

function Beta({ email }: { email: string }) {
  return (
    <LoadedFact
      name="Waitlist"
      failed="Failed to load the waitlist entry"
      query={useEntriesOf(email)}
    >
      {({ pages }) => {
        const entry = entryOf(email, pages)
        return entry ? titled(entry.status) : 'Not on the waitlist'
      }}
    </LoadedFact>
  )
}

/** The latest others of the customer; closed until somebody wants them. */
function OtherTickets({ email, ticketId }: CustomerProps) {
  const query = useGetPersonTicketsQuery(email, { refetchOnMountOrArgChange: true })
  const { tickets, more } = query.currentData ?? {}
  const others = tickets?.filter(({ id }) => id !== ticketId)
  if (!others && query.isError) {
    return (
      <LoadFailure
        error={query.error}
        message="Failed to load the other tickets"
        retrying={query.isFetching}
        onRetry={() => void query.refetch()}
      />
    )
  }
  if (!others?.length) {
    return more ? (
      <chakra.p mt="2" fontSize="sm" color="muted">
        No others of theirs among the newest {PERSON_TICKETS} tickets that name this address.
      </chakra.p>
    ) : null
  }
  return (
    <chakra.details mt="2" fontSize="sm">
      <chakra.summary py="1" color="muted" fontWeight={600} cursor="pointer">
        Latest other tickets
      </chakra.summary>
      <TicketRows label="Latest other tickets" tickets={others} newTab />
    </chakra.details>
  )
}

interface LoadedFactProps<Data> {
  name: string
  failed: string
  query: Parameters<typeof Part<Data>>[0]['query']
  children: (data: Data) => ReactNode
}

function LoadedFact<Data>({ name, failed, query, children }: LoadedFactProps<Data>) {
  return (
    <Fact name={name}>
      <Part title={name} query={query} failed={failed} height="1.25rem">
        {children}
      </Part>
    </Fact>
  )
}
