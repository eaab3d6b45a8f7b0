import { chakra } from '@chakra-ui/react'
import { LoadFailure } from '@/components/app/load-failure'
import { Skeleton } from '@/components/app/skeleton'
import { useGetPlansQuery, useGetSubscriptionQuery } from '@/lib/api/billing-api'
import { OfferCard } from './offer-card'
import { offerOf } from './offer'
import { useCheckout } from './use-checkout'

/** The plans side by side. */
export function Plans() {
  const plans = useGetPlansQuery()
  const subscription = useGetSubscriptionQuery()
  const { start, starting } = useCheckout()
  const failed = plans.error ? plans : subscription.error ? subscription : null

  return (
    <>
      {plans.data && subscription.data !== undefined ? (
        <Cards role="list">
          {plans.data.map((plan) => (
            <OfferCard
              key={plan.id}
              plan={plan}
              offer={offerOf(plan, subscription.data ?? null)}
              starting={starting}
              onBuy={() => start(plan)}
            />
          ))}
        </Cards>
      ) : failed ? (
        <LoadFailure
          error={failed.error}
          wordless="The plans could not be loaded."
          retrying={failed.isFetching}
          onRetry={() => void failed.refetch()}
        />
      ) : (
        <Cards aria-hidden>
          {[0, 1, 2].map((card) => (
            <chakra.li key={card} gridRow="span 6">
              <Skeleton height="24rem" radius="lg" />
            </chakra.li>
          ))}
        </Cards>
      )}
      <span className="visually-hidden" role="status">
        {!failed && !plans.data ? 'Loading plans...' : ''}
      </span>
    </>
  )
}

const Cards = chakra('ul', {
  base: {
    display: 'grid',
    gridTemplateColumns: 'repeat(auto-fit, minmax(min(13rem, 100%), 1fr))',
    columnGap: '4',
    mb: '-4',
    '& > *': { mb: '4' },
    p: 0,
    listStyle: 'none',
  },
})
