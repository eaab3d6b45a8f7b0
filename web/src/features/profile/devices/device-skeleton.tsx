import { LoadingStatus } from '@/components/app/loading-status'
import { Skeleton } from '@/components/app/skeleton'
import styles from './devices-card.module.css'

/** The shape of two devices, until the real ones are known. */
export function DeviceSkeleton() {
  return (
    <div>
      <LoadingStatus>Loading devices...</LoadingStatus>
      {['11rem', '9rem'].map((width) => (
        <div key={width} aria-hidden className={styles.skeleton}>
          <Skeleton height="2.75rem" width="2.75rem" />
          <div className={styles.lines}>
            <Skeleton height="0.875rem" width={width} />
            <Skeleton height="0.75rem" width="17rem" />
          </div>
        </div>
      ))}
    </div>
  )
}
