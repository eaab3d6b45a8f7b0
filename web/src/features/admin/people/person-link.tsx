import Link from 'next/link'
import type { ReactNode } from 'react'
import { useIsAdmin } from '../staff-role'
import styles from './person.module.css'

/** The address of somebody's page; a person is named by the id of the account, or by address. */
const personHref = (person: string) => `/admin?tab=users&person=${encodeURIComponent(person)}`

/** Leads to somebody's page, which is for admins. */
export function PersonLink({ person, children }: { person: string; children: ReactNode }) {
  const isAdmin = useIsAdmin()
  if (!isAdmin) return children
  return (
    <Link
      href={personHref(person)}
      prefetch={false}
      className={styles.link}
      data-event="open_person"
    >
      {children}
    </Link>
  )
}
