import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import styles from './plans.module.css'

/** Holds the place of the plans. */
export function PlansSkeleton() {
  return (
    <>
      <LoadingStatus>Loading plans...</LoadingStatus>
      <ul role="list" aria-hidden className={styles.cards}>
        {[0, 1, 2].map((card) => (
          <li key={card} className={styles.awaited}>
            <Skeleton height="100%" radius="lg" />
          </li>
        ))}
      </ul>
    </>
  )
}
