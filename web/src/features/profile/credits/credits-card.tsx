import { Card } from '@/components/app/card'
import { LoadFailure } from '@/components/app/load-failure'
import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import { Button } from '@/components/button'
import {
  useGetCreditBalanceQuery,
  useGetSubscriptionQuery,
  useGetTokenBalanceQuery,
} from '@/lib/api/billing-api'
import type { CreditEnding } from '@/lib/api/types'
import { CreditBar } from './credit-bar'
import { CreditEndings } from './credit-endings'
import { type CreditState, creditState } from './credit-state'
import styles from './credits-card.module.css'
import { PackNotice } from './pack-notice'
import { Packs } from './packs'
import { usage } from './usage'
import { usePackPayment } from './use-pack-payment'

interface CreditsCardProps {
  /** The checkout of a pack that the person has just come back from. */
  pack: string | null
  onDetails: () => void
}

/** How many credits are left: the number that matters. */
export function CreditsCard({ pack, onDetails }: CreditsCardProps) {
  const balance = useGetCreditBalanceQuery(undefined, { refetchOnMountOrArgChange: true })
  const { data: credits } = useGetTokenBalanceQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  const subscription = useGetSubscriptionQuery()
  const progress = usePackPayment(pack)
  // The plan only says how many there could be; without it there is still a number to show.
  const known = balance.data !== undefined && !(balance.data === null && subscription.isLoading)

  return (
    <Card aria-labelledby="credits" aria-busy={balance.isFetching}>
      <h2 id="credits" className={styles.label}>
        Credits Remaining
      </h2>
      {known ? (
        <Balance
          state={creditState(balance.data ?? null, subscription.data?.subscription ?? null)}
          note={usage(credits)}
          endings={credits?.endings ?? []}
        />
      ) : balance.error ? (
        <div className={styles.failure}>
          <LoadFailure
            error={balance.error}
            message="Your credits could not be loaded."
            retrying={balance.isFetching}
            onRetry={() => void balance.refetch()}
          />
        </div>
      ) : (
        <CreditsSkeleton />
      )}
      <PackNotice progress={progress} onTheirWay={credits?.onTheirWay ?? []} />
      <Packs />
      <div className={styles.more}>
        <Button variant="secondary" data-event="view_credits" onClick={onDetails}>
          View Details
        </Button>
      </div>
    </Card>
  )
}

interface BalanceProps {
  state: CreditState
  note: string
  endings: readonly CreditEnding[]
}

function Balance({ state, note, endings }: BalanceProps) {
  return (
    <>
      <p className={styles.balance}>
        <span className={styles.number}>{state.left}</span>
        <span className={styles.max}>{` / ${state.max}`}</span>
      </p>
      <CreditBar state={state} note={note} />
      <CreditEndings endings={endings} />
    </>
  )
}

function CreditsSkeleton() {
  return (
    <>
      <LoadingStatus>Loading your credits...</LoadingStatus>
      <div className={styles.skeleton}>
        <Skeleton height="2.5rem" width="12rem" />
        <Skeleton height="0.5rem" />
        <Skeleton height="0.75rem" width="10rem" />
      </div>
    </>
  )
}
