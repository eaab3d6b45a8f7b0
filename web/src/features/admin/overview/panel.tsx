import type { ReactNode } from 'react'
import { Card } from '@/components/app/card'
import styles from './panel.module.css'

interface PanelProps<Part> {
  title: string
  /** Null while the service that counts it is down. */
  part: Part | null
  /** What stands there when there is nothing to draw yet. */
  empty: string
  isEmpty: (part: Part) => boolean
  children: (part: Part) => ReactNode
}

/** A card about one of the statistics. */
export function Panel<Part>({ title, part, empty, isEmpty, children }: PanelProps<Part>) {
  return (
    <Card aria-label={title}>
      <h2 className={styles.title}>{title}</h2>
      {part === null ? (
        <p role="status" className={styles.instead}>
          These statistics are not available right now.
        </p>
      ) : isEmpty(part) ? (
        <p className={styles.instead}>{empty}</p>
      ) : (
        children(part)
      )}
    </Card>
  )
}
