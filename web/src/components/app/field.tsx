import type { ComponentProps } from 'react'
import styles from './field.module.css'

/** A field of one line. */
export function Input({ className = '', ...props }: ComponentProps<'input'>) {
  return <input className={`${styles.field} ${className}`} {...props} />
}

interface SelectProps extends ComponentProps<'select'> {
  /** The choice is on its way: it keeps the focus, which `disabled` would drop, and stays as it is. */
  waiting?: boolean
}

/** The platform's own select. */
export function Select({ className = '', waiting = false, onChange, ...props }: SelectProps) {
  return (
    <select
      className={`${styles.field} ${styles.select} ${className}`}
      aria-disabled={waiting || undefined}
      onChange={(event) => !waiting && onChange?.(event)}
      {...props}
    />
  )
}

/** Several lines of text. */
export function Textarea({ className = '', ...props }: ComponentProps<'textarea'>) {
  return <textarea className={`${styles.field} ${styles.textarea} ${className}`} {...props} />
}
