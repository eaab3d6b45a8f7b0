import type { CreditEnding } from '@/lib/api/types'
import { formatBillingDay } from '@/lib/dates'
import { twoDecimals } from '@/lib/numbers'
import styles from './credits-card.module.css'

/** As many as the card has room for; the rest is summed up. */
const SHOWN = 3

/** What of the credits ends when, the soonest first. */
export function CreditEndings({ endings }: { endings: readonly CreditEnding[] }) {
  if (endings.length === 0) return null
  const later = endings.slice(SHOWN).reduce((sum, { amount }) => sum + amount, 0)
  return (
    <ul role="list" aria-label="When your credits end" className={styles.endings}>
      {endings.slice(0, SHOWN).map(({ at, amount }) => (
        <li key={at}>
          {twoDecimals(amount)} until <time dateTime={at}>{formatBillingDay(at)}</time>
        </li>
      ))}
      {later > 0 && <li>{twoDecimals(later)} for longer</li>}
    </ul>
  )
}
