import Link from 'next/link'
import type { AdminStats } from '@/lib/api/types'
import { whole } from '@/lib/numbers'
import styles from './overview-view.module.css'

/** Tells of what billing needs somebody for; nothing when it needs nobody. */
export function BillingNotice(props: { subscriptions: NonNullable<AdminStats['subscriptions']> }) {
  const { cases, differences } = props.subscriptions
  const parts = [
    cases > 0 && (cases === 1 ? '1 case waits' : `${whole(cases)} cases wait`) + ' for a decision',
    differences > 0 &&
      (differences === 1 ? '1 setting' : `${whole(differences)} settings`) +
        ' at Stripe must be changed',
  ].filter((part) => part !== false)
  if (parts.length === 0) return null
  return (
    <p role="status" className={styles.notice}>
      Billing: {parts.join(', ')}.{' '}
      <Link
        href="/admin?tab=billing"
        prefetch={false}
        className={styles.link}
        data-event="open_billing"
      >
        Open Billing
      </Link>
    </p>
  )
}
