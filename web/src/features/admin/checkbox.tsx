import type { ComponentProps } from 'react'
import styles from './checkbox.module.css'

/** A native checkbox. With `aria-disabled` it ignores clicks but keeps the focus, which `disabled` would lose. */
export function Checkbox({ onChange, onClick, ...props }: ComponentProps<'input'>) {
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
