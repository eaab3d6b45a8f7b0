import type { ComponentProps } from 'react'
import styles from './check.module.css'

/** The platform's own checkbox. With `aria-disabled` it waits: it ignores clicks, and keeps the focus. */
export function Check({ onChange, onClick, ...props }: ComponentProps<'input'>) {
  const waiting = props['aria-disabled'] === true
  return (
    <label className={styles.room}>
      <input
        type="checkbox"
        className={styles.box}
        onClick={(event) => (waiting ? event.preventDefault() : onClick?.(event))}
        onChange={(event) => !waiting && onChange?.(event)}
        {...props}
      />
    </label>
  )
}
