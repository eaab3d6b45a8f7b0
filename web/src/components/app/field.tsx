import type { ComponentProps } from 'react'
import styles from './field.module.css'

/** A field of one line. */
export function Input({ className = '', ...props }: ComponentProps<'input'>) {
  return <input className={`${styles.field} ${className}`} {...props} />
}

/** The platform's own select. */
export function Select({ className = '', ...props }: ComponentProps<'select'>) {
  return <select className={`${styles.field} ${styles.select} ${className}`} {...props} />
}

/** Several lines of text. */
export function Textarea({ className = '', ...props }: ComponentProps<'textarea'>) {
  return <textarea className={`${styles.field} ${styles.textarea} ${className}`} {...props} />
}
