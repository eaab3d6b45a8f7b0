import type { ReactNode, Ref } from 'react'
import styles from './waitlist-form.module.css'

interface ConfirmationProps {
  /** What the server said. */
  message: string
  /** A ref to the message, to focus it. */
  ref?: Ref<HTMLParagraphElement>
  /** No live region: something else on the page announces the same. */
  silent?: boolean
  children?: ReactNode
}

/** Says that an address has joined. */
export function Confirmation({ message, ref, silent = false, children }: ConfirmationProps) {
  return (
    <div
      className={`${styles.success} ${children ? '' : styles.alone}`}
      role={silent ? undefined : 'status'}
    >
      <Tick />
      <div>
        <p ref={ref} tabIndex={-1} data-join="" className={styles.confirmation}>
          {message}
        </p>
        {children}
      </div>
    </div>
  )
}

function Tick() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" className={styles.tick}>
      <circle cx="12" cy="12" r="11" fill="currentColor" />
      <path
        d="m7 12.4 3.3 3.3L17 9"
        fill="none"
        stroke="var(--color-positive-wash)"
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
