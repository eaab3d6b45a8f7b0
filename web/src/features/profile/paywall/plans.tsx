import { useState } from 'react'
import { LoadFailure } from '@/components/app/load-failure'
import { useGetPlansQuery, useGetSubscriptionQuery } from '@/lib/api/billing-api'
import { IntervalChoice } from './interval-choice'
import { OfferCard } from './offer-card'
import { type Interval, offerOf } from './offer'
import styles from './plans.module.css'
import { PlansSkeleton } from './plans-skeleton'
import { useCheckout } from './use-checkout'

/** The plans side by side; where one is also sold by the year, how often to pay is a choice. */
export function Plans() {
  const sold = useGetPlansQuery()
  const subscribed = useGetSubscriptionQuery()
  const { start, starting } = useCheckout()
  const [choice, setChoice] = useState<Interval | null>(null)

  if (sold.data && subscribed.data) {
    const { plans } = sold.data
    const { subscription: mine, trialDays } = subscribed.data
    const chosen = choice ?? (mine?.interval === 'year' ? 'year' : 'month')
    return (
      <>
        {plans.some((plan) => plan.annual) && (
          <IntervalChoice chosen={chosen} onChoose={setChoice} />
        )}
        <ul role="list" className={styles.cards}>
          {plans.map((plan) => {
            const offer = offerOf(plan, mine, chosen, trialDays)
            return (
              <OfferCard
                key={plan.id}
                plan={plan}
                offer={offer}
                starting={starting}
                onBuy={() => start(plan, chosen, offer.action.kind === 'buy' && offer.action.later)}
              />
            )
          })}
        </ul>
      </>
    )
  }
  const failed = sold.error ? sold : subscribed.error ? subscribed : null
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
