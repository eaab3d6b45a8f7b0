import Link from 'next/link'
import button from '@/components/button.module.css'
import { paths } from '@/config/paths'
import { Display } from './display'
import styles from './display.module.css'

/** On the waitlist, not approved. Every status but pending is 'under review'. */
export function Waiting({ status }: { status: string }) {
  const state = status === 'pending' ? 'pending approval.' : 'under review.'
  return (
    <Display title="Closed Beta" vanes={2}>
      <p className={styles.state}>Your waitlist application is {state}</p>
      <p>We&apos;ll notify you when you get access to the closed beta.</p>
      <Link
        href={paths.profile}
        className={`${button.secondary} ${button.raised} ${styles.action}`}
      >
        Go to Profile
      </Link>
    </Display>
  )
}
