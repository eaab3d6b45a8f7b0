import type { ReactNode } from 'react'
import styles from './status-badge.module.css'

export type Tone = 'positive' | 'caution' | 'danger' | 'notice' | 'neutral'

/** A state as a word with a shape of its own, so that colour alone carries nothing. */
export function StatusBadge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`${styles.pill} ${styles[tone]}`}>{children}</span>
}
