import Link from 'next/link'
import type { ReactNode } from 'react'
import styles from './person.module.css'

/** The address of somebody's page; a person is named by the id of the account, or by address. */
const personHref = (person: string) => `/admin?tab=users&person=${encodeURIComponent(person)}`

/** Leads to somebody's page. */
export function PersonLink({ person, children }: { person: string; children: ReactNode }) {
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
