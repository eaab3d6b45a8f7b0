import type { TicketPriority, TicketStatus } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import { titled } from '@/lib/words'
import { StatusBadge, type Tone } from '../status-badge'
import styles from './badges.module.css'

/** A disc that fills as the ticket comes to its end: empty, half, ticked, struck. */
const statusShapes: Record<TicketStatus, string> = {
  open: '',
  in_progress: 'M8 4.5a3.5 3.5 0 0 1 0 7z',
  resolved: 'm5 8.2 2.1 2.1L11.2 6',
  closed: 'M5.2 8h5.6',
}

const statusTones: Record<TicketStatus, Tone> = {
  open: 'live',
  in_progress: 'caution',
  resolved: 'positive',
  closed: 'neutral',
}

/** Where a ticket stands. */
export function TicketBadge({ status }: { status: string }) {
  const icon = (
    <svg viewBox="0 0 16 16" width="15" height="15" fill="none" aria-hidden="true">
      <circle cx="8" cy="8" r="6" stroke="currentColor" strokeWidth="1.7" />
      <path
        d={lookup(statusShapes, status)}
        fill={status === 'in_progress' ? 'currentColor' : 'none'}
        stroke={status === 'in_progress' ? 'none' : 'currentColor'}
        strokeWidth="1.7"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
  return (
    <StatusBadge tone={lookup(statusTones, status) ?? 'neutral'} icon={icon}>
      {titled(status)}
    </StatusBadge>
  )
}

const priorities: Record<TicketPriority, { height: number; tone: Tone }> = {
  urgent: { height: 4, tone: 'danger' },
  high: { height: 3, tone: 'caution' },
  medium: { height: 2, tone: 'plain' },
  low: { height: 1, tone: 'plain' },
}

/** Of a priority that is not known: no bar stands out. */
const UNKNOWN = { height: 0, tone: 'neutral' } as const

/** How pressing a ticket is: rising bars, all of them in red when it is urgent. */
export function PriorityBadge({ priority }: { priority: string }) {
  const { height, tone } = lookup(priorities, priority) ?? UNKNOWN
  const icon = (
    <svg viewBox="0 0 16 16" width="15" height="15" fill="currentColor" aria-hidden="true">
      {[1, 2, 3, 4].map((bar) => (
        <rect
          key={bar}
          x={bar * 3.6 - 2.4}
          y={13.5 - bar * 2.9}
          width="2.4"
          height={bar * 2.9}
          rx="0.6"
          opacity={bar <= height ? 1 : 0.25}
        />
      ))}
    </svg>
  )
  return (
    <StatusBadge tone={tone} icon={icon}>
      {titled(priority)}
    </StatusBadge>
  )
}

/** What a ticket is about. */
export function CategoryBadge({ category }: { category: string }) {
  return <span className={styles.category}>{titled(category)}</span>
}
