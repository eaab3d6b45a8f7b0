import Link from 'next/link'
import { Alert } from '@/components/app/alert'
import { buttonClass } from '@/components/button'
import { Confirmation } from '@/components/waitlist-form/confirmation'
import { paths } from '@/config/paths'
import { Display } from './display'
import styles from './display.module.css'
import { OtherAddress } from './other-address'

interface WaitingProps {
  status: string
  email: string
  /** What the server said when the person joined a moment ago. */
  joined?: string
  /** Why the invitation that the person came by cannot be used. */
  refusal?: string
  /** Called before the person is signed out, to use another address. */
  onLeave: () => void
}

/** On the waitlist, not approved. Every status but pending is 'under review'. */
export function Waiting({ status, email, joined, refusal, onLeave }: WaitingProps) {
  const state = status === 'pending' ? 'pending approval.' : 'under review.'
  return (
    <Display
      title="Closed Beta"
      vanes={2}
      arrival={joined ? <Confirmation message={joined} /> : refusal && <Alert>{refusal}</Alert>}
    >
      <p className={styles.state}>Your waitlist application is {state}</p>
      <p>We&apos;ll notify you when you get access to the closed beta.</p>
      <Link
        href={paths.profile}
        className={buttonClass({ variant: 'secondary', className: styles.action })}
        data-event="go_to_profile"
      >
        Go to Profile
      </Link>
      {email && <OtherAddress email={email} onLeave={onLeave} />}
    </Display>
  )
}
