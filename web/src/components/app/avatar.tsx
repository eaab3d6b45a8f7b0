import type { ComponentProps } from 'react'
import styles from './avatar.module.css'

interface AvatarProps extends ComponentProps<'button'> {
  email: string
}

/** The round first letter of an address, or U without one; as a button where it opens something. */
export function Avatar({ email, className, ...props }: AvatarProps) {
  return (
    <button type="button" className={`${styles.avatar} ${className ?? ''}`} {...props}>
      <span aria-hidden>{(email[0] ?? 'U').toUpperCase()}</span>
    </button>
  )
}
