import { LoadFailure } from '@/components/app/load-failure'
import { useGetPlansQuery, useGetSubscriptionQuery } from '@/lib/api/billing-api'
import { OfferCard } from './offer-card'
import { offerOf } from './offer'
import styles from './plans.module.css'
import { PlansSkeleton } from './plans-skeleton'
import { useCheckout } from './use-checkout'

/** The plans side by side. */
export function Plans() {
  const plans = useGetPlansQuery()
  const subscription = useGetSubscriptionQuery()
  const { start, starting } = useCheckout()

  if (plans.data && subscription.data !== undefined) {
    return (
      <ul role="list" className={styles.cards}>
        {plans.data.map((plan) => {
          const offer = offerOf(plan, subscription.data ?? null)
          return (
            <OfferCard
              key={plan.id}
              plan={plan}
              offer={offer}
              starting={starting}
              onBuy={() => start(plan, offer.action.kind === 'buy' && offer.action.later)}
            />
          )
        })}
      </ul>
    )
  }
  const failed = plans.error ? plans : subscription.error ? subscription : null
  if (!failed) return <PlansSkeleton />
  return (
    <LoadFailure
      error={failed.error}
      message="The plans could not be loaded."
      retrying={failed.isFetching}
      onRetry={() => void failed.refetch()}
    />
  )
}
