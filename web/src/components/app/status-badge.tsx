import type { ReactNode } from 'react'
import styles from './status-badge.module.css'

export type Tone = 'positive' | 'caution' | 'danger' | 'notice' | 'live' | 'plain' | 'neutral'

interface StatusBadgeProps {
  tone: Tone
  /** A drawing in place of the tone's own shape. */
  icon?: ReactNode
  children: ReactNode
}

/** A state as a word with a shape of its own, so that colour alone carries nothing. */
export function StatusBadge({ tone, icon, children }: StatusBadgeProps) {
  return (
    <span className={`${styles.badge} ${icon ? '' : styles.shaped} ${styles[tone]}`}>
      {icon}
      {children}
    </span>
  )
}
