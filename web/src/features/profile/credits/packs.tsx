import { Button } from '@/components/button'
import { useGetPlansQuery, useGetSubscriptionQuery } from '@/lib/api/billing-api'
import { moneyText, upToTwoDecimals } from '@/lib/numbers'
import { useCheckout } from '../paywall/use-checkout'
import styles from './credits-card.module.css'

/** Credits to buy on top of a plan; nothing for people without one. */
export function Packs() {
  const { data: subscribed } = useGetSubscriptionQuery()
  const status = subscribed?.subscription?.status
  const onPlan = status === 'active' || status === 'cancelled'
  const { data: sold } = useGetPlansQuery(undefined, { skip: !onPlan })
  const { startPack, starting } = useCheckout()

  const packs = sold?.packs ?? []
  if (!onPlan || packs.length === 0) return null
  return (
    <section aria-labelledby="packs" className={styles.packs}>
      <h3 id="packs" className={styles.packsTitle}>
        Extra credits
      </h3>
      <p className={styles.packsNote}>
        Paid once. They last for a year, and credits that end sooner are used first.
      </p>
      <ul role="list" className={styles.packList}>
        {packs.map((pack) => (
          <li key={pack.priceId}>
            <Button
              variant="secondary"
              pending={starting === pack.priceId}
              aria-disabled={starting !== null}
              data-event="buy_credits"
              onClick={() => startPack(pack)}
            >
              {starting === pack.priceId
                ? 'Processing...'
                : `${upToTwoDecimals(pack.credits)} credits for ${moneyText(pack.price.amount, pack.price.currency)}`}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
