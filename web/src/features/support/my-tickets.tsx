import { useEffect, useRef } from 'react'
import { Card } from '@/components/app/card'
import { CardBoundary } from '@/components/app/card-boundary'
import { CardHead } from '@/components/app/card-head'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadMore } from '@/components/app/load-more'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { Button } from '@/components/button'
import { retryLoading } from '@/lib/api/retry-loading'
import { useGetMyTicketsInfiniteQuery } from '@/lib/api/support-api'
import { MyTicket } from './my-ticket'
import styles from './my-tickets.module.css'
import { useSupport } from './support-provider'

/** What the person has asked us, and our answers. */
export function MyTickets() {
  return (
    <CardBoundary name="My tickets">
      <Tickets />
    </CardBoundary>
  )
}

function Tickets() {
  const list = useGetMyTicketsInfiniteQuery(undefined, { refetchOnMountOrArgChange: true })
  const { data, error, isFetching } = list
  const ask = useSupport()
  const card = useShownIfLinked()
  const rows = useRef<HTMLUListElement>(null)
  const tickets = data?.pages.flatMap((page) => page.data)
  return (
    <Card rows ref={card} id="my-tickets" aria-labelledby="my-tickets-title" aria-busy={isFetching}>
      <CardHead id="my-tickets-title" title="My tickets" text="Your questions and our answers.">
        <Button variant="secondary" size="dense" data-event="open_support" onClick={ask}>
          Contact support
        </Button>
      </CardHead>
      <div className={styles.content}>
        {error && (
          <div className={styles.failure}>
            <LoadFailure
              error={error}
              message="Your tickets could not be loaded."
              retrying={isFetching}
              onRetry={() => retryLoading(list)}
            />
          </div>
        )}
        {!data && !error && <Waiting />}
        {tickets && tickets.length > 0 && (
          <ul ref={rows} tabIndex={-1} role="list" aria-label="My tickets">
            {tickets.map((ticket) => (
              <MyTicket key={ticket.id} ticket={ticket} />
            ))}
          </ul>
        )}
        {tickets?.length === 0 && <p className={styles.none}>You have not contacted us yet.</p>}
        <LoadMore list={list} listRef={rows} label="Older tickets" className={styles.more} />
      </div>
    </Card>
  )
}

/** The card comes after the page: it is scrolled to when the address leads to it. */
function useShownIfLinked() {
  const card = useRef<HTMLElement>(null)
  useEffect(() => {
    // As smoothly as the page's style has it, which is not at all in reduced motion.
    if (window.location.hash === `#${card.current?.id}`) card.current?.scrollIntoView()
  }, [])
  return card
}

function Waiting() {
  return (
    <div className={styles.waiting}>
      <LoadingStatus>Loading tickets...</LoadingStatus>
      <Skeleton height="0.75rem" width="60%" />
      <Skeleton height="0.75rem" width="40%" />
    </div>
  )
}
