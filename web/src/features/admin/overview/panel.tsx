import type { ReactNode } from 'react'
import { Card } from '@/components/app/card'
import { PartBoundary } from '@/components/app/part-boundary'
import type { AdminStats } from '@/lib/api/types'
import styles from './panel.module.css'

interface PanelProps<Counts> {
  title: string
  stats: AdminStats
  /** What of the statistics it shows, if there is any: not while the service that counts it is down. */
  part: (stats: AdminStats) => Counts | null | undefined
  /** What stands there when there is nothing to draw yet. */
  empty: string
  isEmpty: (part: Counts) => boolean
  children: (part: Counts) => ReactNode
}

/** A card about one of the statistics, which fails alone. */
export function Panel<Counts>(props: PanelProps<Counts>) {
  return (
    <Card aria-label={props.title}>
      <h2 className={styles.title}>{props.title}</h2>
      <PartBoundary resetKey={props.stats}>
        <Content {...props} />
      </PartBoundary>
    </Card>
  )
}

function Content<Counts>({ stats, part, empty, isEmpty, children }: PanelProps<Counts>) {
  const counts = part(stats)
  if (!counts) {
    return (
      <p role="status" className={styles.instead}>
        These statistics are not available right now.
      </p>
    )
  }
  if (isEmpty(counts)) return <p className={styles.instead}>{empty}</p>
  return children(counts)
}
