import type { ReactNode } from 'react'
import styles from './alert.module.css'

/** Something failed and stays failed until the person does something about it. */
export function Alert({ children }: { children: ReactNode }) {
  return (
    <div role="alert" className={styles.alert}>
      {children}
    </div>
  )
}
