'use client'

import type { ComponentProps, MouseEvent } from 'react'
import styles from './button.module.css'

interface ButtonLook {
  variant?: 'primary' | 'secondary' | 'ghost'
  /** `dense` in rows and toolbars, `large` where it is the one thing to do. */
  size?: 'md' | 'dense' | 'large'
  className?: string
}

const looks = {
  primary: styles.primary,
  secondary: `${styles.secondary} ${styles.raised}`,
  ghost: styles.ghost,
}
const sizes = { md: '', dense: styles.dense, large: styles.large }

/** The classes of a button, for a link that looks like one. */
export function buttonClass({ variant = 'primary', size = 'md', className = '' }: ButtonLook = {}) {
  return [looks[variant], sizes[size], className].filter(Boolean).join(' ')
}

interface ButtonProps extends ComponentProps<'button'>, ButtonLook {
  /** What it started is under way. It keeps the focus, says that it is busy, and ignores clicks. */
  pending?: boolean
}

/**
 * The site's button; `type` is 'button' by default. For as long as something runs, use `pending` for the
 * button that started it and `aria-disabled` for those that have to wait: both ignore clicks, submitting
 * included, and keep the focus, which `disabled` would drop. `disabled` is for a state that lasts.
 */
export function Button(props: ButtonProps) {
  const { variant, size, className, pending = false, onClick, ...rest } = props
  const { 'aria-disabled': waiting, type = 'button' } = props
  const resting = pending || waiting === true || waiting === 'true'
  const click = (event: MouseEvent<HTMLButtonElement>) => {
    if (resting) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      {...rest}
      type={type}
      className={buttonClass({ variant, size, className })}
      aria-disabled={resting || undefined}
      aria-busy={pending || undefined}
      onClick={click}
    />
  )
}
