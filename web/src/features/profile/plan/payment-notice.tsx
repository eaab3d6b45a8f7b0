import { Spinner } from '@/components/app/spinner'
import { site } from '@/config/site'
import type { PaymentProgress } from '../billing/use-payment'
import styles from './plan-card.module.css'

/** What has become of the payment that the person has just come back from. */
export function PaymentNotice({ progress }: { progress: PaymentProgress }) {
  if (progress === 'none') return null
  return (
    <div role="status" className={styles.payment}>
      {progress === 'waiting' && (
        <>
          <Spinner size="1rem" />
          <p>Confirming your payment...</p>
        </>
      )}
      {progress === 'late' && (
        <p>
          Your payment is not confirmed yet. That can take a few minutes; if nothing changes, write
          to {site.emails.support}.
        </p>
      )}
    </div>
  )
}
