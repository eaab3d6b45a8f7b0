import type { ReactNode } from 'react'
import styles from './group.module.css'

/** Panels of the same period, under its name. */
export function Group({ period, children }: { period: string; children: ReactNode }) {
  return (
    <div className={styles.group}>
      <p className={styles.period}>{period}</p>
      <div className={styles.panels}>{children}</div>
    </div>
  )
}
