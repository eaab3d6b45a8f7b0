import type { TicketCategory, TicketPriority, TicketStatus } from '@/lib/api/types'
import { spaced } from '@/lib/english/words'
import styles from './badges.module.css'

/** A disc that fills as the ticket comes to its end: empty, half, ticked, struck. */
const statusShapes: Record<TicketStatus, string> = {
  open: '',
  in_progress: 'M8 4.5a3.5 3.5 0 0 1 0 7z',
  resolved: 'm5 8.2 2.1 2.1L11.2 6',
  closed: 'M5.2 8h5.6',
}

/** Where a ticket stands, as a word with a shape of its own. */
export function TicketBadge({ status }: { status: TicketStatus }) {
  return (
    <span className={`${styles.badge} ${styles[status]}`}>
      <svg viewBox="0 0 16 16" width="15" height="15" fill="none" aria-hidden="true">
        <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="1.7" />
        <path
          d={statusShapes[status]}
          fill={status === 'in_progress' ? 'currentColor' : 'none'}
          stroke={status === 'in_progress' ? 'none' : 'currentColor'}
          strokeWidth="1.7"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span className={styles.word}>{spaced(status)}</span>
    </span>
  )
}

const heights: Record<TicketPriority, number> = { urgent: 4, high: 3, medium: 2, low: 1 }

/** How pressing a ticket is: rising bars, all of them in red when it is urgent. */
export function PriorityBadge({ priority }: { priority: TicketPriority }) {
  const level = heights[priority]
  return (
    <span className={`${styles.badge} ${styles[priority]}`}>
      <svg viewBox="0 0 16 16" width="15" height="15" fill="currentColor" aria-hidden="true">
        {[1, 2, 3, 4].map((bar) => (
          <rect
            key={bar}
            x={bar * 3.6 - 2.4}
            y={13.5 - bar * 2.9}
            width="2.4"
            height={bar * 2.9}
            rx="0.6"
            opacity={bar <= level ? 1 : 0.25}
          />
        ))}
      </svg>
      <span className={styles.word}>{spaced(priority)}</span>
    </span>
  )
}

/** What a ticket is about. */
export function CategoryBadge({ category }: { category: TicketCategory }) {
  return (
    <span className={`${styles.badge} ${styles.category}`}>
      <span className={styles.word}>{spaced(category)}</span>
    </span>
  )
}
