import Link from 'next/link'
import styles from './person.module.css'

/** The way to the list of all accounts. */
export function BackToUsers() {
  return (
    <Link href="/admin?tab=users" prefetch={false} className={styles.link}>
      All users
    </Link>
  )
}
