import Link from 'next/link'
import type { ComponentProps } from 'react'
import { initialOf } from '@/lib/initial'
import styles from './avatar.module.css'

interface AvatarProps extends ComponentProps<'button'> {
  email: string
}

/** The round first letter of an address, or U without one; as a button where it opens something. */
export function Avatar({ email, className, ...props }: AvatarProps) {
  return (
    <button type="button" className={`${styles.avatar} ${className ?? ''}`} {...props}>
      <Initial email={email} />
    </button>
  )
}

interface AvatarLinkProps extends ComponentProps<typeof Link> {
  email: string
}

/** The same as a link. */
export function AvatarLink({ email, ...props }: AvatarLinkProps) {
  return (
    <Link className={styles.avatar} {...props}>
      <Initial email={email} />
    </Link>
  )
}

/** The same as a picture, beside the address. */
export function AvatarPicture({ email }: { email: string }) {
  return (
    <span className={`${styles.avatar} ${styles.still}`}>
      <Initial email={email} />
    </span>
  )
}

function Initial({ email }: { email: string }) {
  return <span aria-hidden>{initialOf(email)}</span>
}
