import type { Finances } from '@/lib/api/types'
import { moneyText, whole } from '@/lib/numbers'
import { titled } from '@/lib/words'
import styles from './billing-view.module.css'

/** The subscriptions that have not ended, by plan, price and state. */
export function SubscriptionTable({ groups }: { groups: Finances['subscriptions'] }) {
  if (groups.length === 0) return <p className={styles.quiet}>No subscribers yet.</p>
  return (
    // Focusable, so that a keyboard can scroll it where it is wider than the window.
    <div className={styles.scroll} role="region" aria-label="Subscriptions by price" tabIndex={0}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Plan</th>
            <th scope="col">Price</th>
            <th scope="col">State</th>
            <th scope="col" className={styles.number}>
              A month
            </th>
            <th scope="col" className={styles.number}>
              Subscriptions
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map(({ plan, priceId, status, monthly, subscriptions }) => (
            <tr key={[plan, priceId, status, monthly?.currency, monthly?.amount].join(' ')}>
              <td>{plan}</td>
              <td>{priceId}</td>
              <td>{titled(status)}</td>
              <td className={styles.number}>
                {monthly ? moneyText(monthly.amount, monthly.currency) : 'Not known yet'}
              </td>
              <td className={styles.number}>{whole(subscriptions)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
