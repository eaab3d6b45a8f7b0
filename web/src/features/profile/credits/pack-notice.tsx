import type { PackOnItsWay } from '@/lib/api/types'
import { formatBillingDay } from '@/lib/dates'
import { upToTwoDecimals } from '@/lib/numbers'
import styles from './credits-card.module.css'
import type { PackProgress } from './use-pack-payment'

const TEXTS: Record<PackProgress, string> = {
  none: '',
  waiting: 'Your payment is being confirmed.',
  given: 'Your extra credits are here.',
  'on-its-way': 'Thank you. Your payment is on its way, and the credits come with it.',
  late: 'Your payment is not confirmed yet. The credits are added as soon as it is.',
}

interface PackNoticeProps {
  progress: PackProgress
  onTheirWay: readonly PackOnItsWay[]
}

/** What has become of a pack that was just paid, and which others wait for their money. */
export function PackNotice({ progress, onTheirWay }: PackNoticeProps) {
  const text = TEXTS[progress]
  return (
    <>
      <p role="status" className={text ? styles.notice : undefined}>
        {text}
      </p>
      {onTheirWay.length > 0 && (
        <ul role="list" aria-label="Credits on their way" className={styles.endings}>
          {onTheirWay.map(({ credits, since }) => (
            <li key={since}>
              {upToTwoDecimals(credits)} on their way since{' '}
              <time dateTime={since}>{formatBillingDay(since)}</time>
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
