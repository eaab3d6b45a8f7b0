import { Alert } from '@/components/app/alert'
import { RetryButton } from '@/components/retry-button'
import { WaitlistForm } from '@/components/waitlist-form/waitlist-form'
import { Display } from './display'
import styles from './display.module.css'
import { OtherAddress } from './other-address'
import type { BetaAccess } from './use-beta-access'

interface NotListedProps {
  access: Extract<BetaAccess, { name: 'not-listed' }>
  /** Why the invitation that the person came by cannot be used. */
  refusal?: string
  onRetry: () => void
  onJoined: (message: string) => void
  /** Called before the person is signed out, to use another address. */
  onLeave: () => void
}

/** Signed in, but not on the waitlist: the form that puts them on it, and what else may be the matter. */
export function NotListed({ access, refusal, onRetry, onJoined, onLeave }: NotListedProps) {
  const { email, lookup } = access
  return (
    <Display title="Closed Beta" vanes={1} arrival={refusal && <Alert>{refusal}</Alert>}>
      {lookup === 'answered' ? (
        <p>
          You&apos;re not on the waitlist yet. Join it, and we&apos;ll email you when you can start.
        </p>
      ) : (
        <LookupFailed retrying={lookup === 'repeated'} onRetry={onRetry} />
      )}
      <div className={styles.form}>
        <WaitlistForm source="cta_section" email={email} onJoined={onJoined} />
      </div>
      {email && <p className={styles.small}>You join with the email address you sign in with.</p>}
      {email && <OtherAddress email={email} onLeave={onLeave} />}
    </Display>
  )
}

function LookupFailed({ retrying, onRetry }: { retrying: boolean; onRetry: () => void }) {
  return (
    <>
      <p role="status">We can&apos;t look you up on the waitlist right now.</p>
      <RetryButton retrying={retrying} onRetry={onRetry} />
    </>
  )
}
