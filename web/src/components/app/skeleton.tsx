import { LoadingStatus } from './loading-status'
import styles from './skeleton.module.css'

interface SkeletonProps {
  height: string
  /** As wide as its place without one. */
  width?: string
  /** The corners of what it stands for. */
  radius?: 'sm' | 'lg'
}

/** A skeleton in the shape of what is loading; the text that says so stands beside it. */
export function Skeleton({ height, width, radius = 'sm' }: SkeletonProps) {
  const borderRadius = radius === 'sm' ? undefined : `var(--radius-${radius})`
  return <div aria-hidden className={styles.skeleton} style={{ height, width, borderRadius }} />
}

/** The placeholder of a part of a dialog while it loads. */
export function PartSkeleton({ height }: { height: string }) {
  return (
    <>
      <LoadingStatus>Loading...</LoadingStatus>
      <Skeleton height={height} radius="lg" />
    </>
  )
}
