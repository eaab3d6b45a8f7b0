import { WaitlistForm } from '@/components/waitlist-form/waitlist-form'
import { Display } from './display'
import styles from './display.module.css'

interface NotListedProps {
  email: string
  onJoined: (message: string) => void
}

/** Signed in, but not on the waitlist: the form that puts them on it. */
export function NotListed({ email, onJoined }: NotListedProps) {
  return (
    <Display title="Closed Beta" vanes={1}>
      <p>
        You&apos;re not on the waitlist yet. Join it, and we&apos;ll email you when you can start.
      </p>
      <div className={styles.form}>
        <WaitlistForm source="cta_section" email={email} onJoined={onJoined} />
      </div>
      {email && <p className={styles.small}>You join with the email address you sign in with.</p>}
    </Display>
  )
}
