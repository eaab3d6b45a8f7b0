import Link from 'next/link'
import { useEffect, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadingStatus } from '@/components/app/loading-status'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import { isUnknownPerson, useGetPersonQuery } from '@/lib/api/identity-api'
import type { AdminUser } from '@/lib/api/types'
import { storedAddress } from '@/lib/email-address'
import { useIsAdmin } from '../staff-role'
import { AccountCard } from './account-card'
import { BillingCard } from './billing-card'
import { ChannelCard } from './channel-card'
import { DevicesCard } from './devices-card'
import { HistoryCard, TicketsCard, WaitlistCard } from './lists'
import styles from './person.module.css'

/** All that staff see of one person, who is named by the id of the account or by address; moderators see less, and only read. */
export function PersonView({ person }: { person: string }) {
  const query = useGetPersonQuery(person, { refetchOnMountOrArgChange: true })
  const user = query.currentData
  const unknown = !user && isUnknownPerson(query.error)
  return (
    <div className={styles.page}>
      <Link href="/admin?tab=users" prefetch={false} className={styles.link}>
        All users
      </Link>
      <Title text={user?.email ?? person} />
      {user ? (
        <Person user={user} />
      ) : unknown ? (
        <Stranger person={person} />
      ) : query.error ? (
        <LoadFailure
          error={query.error}
          message="Failed to load this person"
          retrying={query.isFetching}
          onRetry={() => void query.refetch()}
        />
      ) : (
        <>
          <LoadingStatus>Loading this person</LoadingStatus>
          <Skeleton height="10rem" />
        </>
      )}
    </div>
  )
}

/** The page has changed without a navigation that a screen reader would notice. */
function Title({ text }: { text: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    heading.current?.focus({ preventScroll: true })
    window.scrollTo({ top: 0 })
  }, [])
  return (
    <h2 ref={heading} tabIndex={-1} className={styles.title}>
      <bdi dir="ltr">{text}</bdi>
    </h2>
  )
}

function Person({ user }: { user: AdminUser }) {
  const isAdmin = useIsAdmin()
  return (
    <div className={styles.cards}>
      <div className={styles.column}>
        <PartBoundary resetKey={user}>
          <AccountCard user={user} />
        </PartBoundary>
        {isAdmin && (
          <>
            <DevicesCard userId={user.id} />
            <ChannelCard userId={user.id} />
            <HistoryCard about={user.id} />
          </>
        )}
      </div>
      <div className={styles.column}>
        {isAdmin && <BillingCard userId={user.id} />}
        <WaitlistCard email={user.email} />
        <TicketsCard email={user.email} />
      </div>
    </div>
  )
}

/** Somebody without an account may be on the waitlist. */
function Stranger({ person }: { person: string }) {
  const isAdmin = useIsAdmin()
  const email = storedAddress(person)
  return (
    <>
      <Alert problem="unknown_person">There is no account with this id or address.</Alert>
      {email.includes('@') && (
        <div className={styles.cards}>
          <WaitlistCard email={email} />
          {isAdmin && <HistoryCard about={email} />}
        </div>
      )}
    </>
  )
}
