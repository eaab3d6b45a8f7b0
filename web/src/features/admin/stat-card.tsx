import { Skeleton } from '@/components/app/skeleton'
import styles from './stat-card.module.css'

/** One number with its name; without a value it is still on its way. */
export function StatCard({ label, value }: { label: string; value?: string }) {
  return (
    <div className={styles.stat}>
      <dt className={styles.name}>{label}</dt>
      <dd className={styles.value}>
        {value ?? (
          <div className={styles.awaited}>
            <Skeleton height="1.25rem" width="6rem" />
          </div>
        )}
      </dd>
    </div>
  )
}
