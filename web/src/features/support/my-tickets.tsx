import { Card } from '@/components/app/card'
import { CardHead } from '@/components/app/card-head'
import { LoadFailure } from '@/components/app/load-failure'
import { Skeleton } from '@/components/app/skeleton'
import button from '@/components/button.module.css'
import { useGetMyTicketsInfiniteQuery } from '@/lib/api/support-api'
import { MyTicket } from './my-ticket'
import styles from './my-tickets.module.css'
import { useSupport } from './support-provider'

const small = `${button.secondary} ${button.dense} ${button.fits}`

/** What the person has asked us, and our answers. */
export function MyTickets() {
  const list = useGetMyTicketsInfiniteQuery(undefined, { refetchOnMountOrArgChange: true })
  const { data, error, isFetching } = list
  const ask = useSupport()
  const tickets = data?.pages.flatMap((page) => page.data)
  return (
    <Card rows id="my-tickets" aria-labelledby="my-tickets-title" aria-busy={isFetching}>
      <CardHead
        id="my-tickets-title"
        title="My tickets"
        text="What you have asked us, and our answers."
      >
        <button type="button" className={small} onClick={ask}>
          Contact support
        </button>
      </CardHead>
      <div className={styles.content}>
        {error && (
          <div className={styles.failure}>
            <LoadFailure
              error={error}
              wordless="Your tickets could not be loaded."
              retrying={isFetching}
              onRetry={() => void list.refetch()}
            />
          </div>
        )}
        {!data && !error && <Waiting />}
        {tickets && tickets.length > 0 && (
          <ul role="list" aria-label="My tickets">
            {tickets.map((ticket) => (
              <MyTicket key={ticket.id} ticket={ticket} />
            ))}
          </ul>
        )}
        {tickets?.length === 0 && (
          <p className={styles.none}>You have not asked us anything yet.</p>
        )}
        {list.hasNextPage && (
          <div className={styles.more}>
            <button
              type="button"
              className={small}
              disabled={list.isFetchingNextPage}
              onClick={() => void list.fetchNextPage()}
            >
              {list.isFetchingNextPage ? 'Loading...' : 'Older tickets'}
            </button>
          </div>
        )}
      </div>
    </Card>
  )
}

function Waiting() {
  return (
    <div className={styles.waiting}>
      <span className="visually-hidden" role="status">
        Loading tickets...
      </span>
      <Skeleton height="0.75rem" width="60%" />
      <Skeleton height="0.75rem" width="40%" />
    </div>
  )
}
