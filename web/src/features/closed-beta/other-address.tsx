import { useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Button } from '@/components/button'
import button from '@/components/button.module.css'
import { useSession } from '@/features/session/session-provider'
import styles from './display.module.css'

/** Apple gives addresses of this domain to whoever hides their own. */
const APPLE_RELAY = '@privaterelay.appleid.com'

interface OtherAddressProps {
  email: string
  /** Called before the person is signed out, to use another address. */
  onLeave: () => void
}

/** For whoever was invited at one address and signs in with another one: which it is, and the way back. */
export function OtherAddress({ email, onLeave }: OtherAddressProps) {
  const session = useSession()
  const [leaving, setLeaving] = useState(false)
  const [failed, setFailed] = useState(false)

  const signOut = async () => {
    setLeaving(true)
    setFailed(false)
    onLeave()
    try {
      await session.signOut()
    } catch (error) {
      console.error('Sign-out failed', error)
      setFailed(true)
      setLeaving(false)
    }
  }

  return (
    <section className={styles.other} aria-labelledby="other-address">
      <h2 id="other-address">Did we write to another address?</h2>
      <p>
        You are signed in as <bdi className={styles.address}>{email}</bdi>.{' '}
        {email.toLowerCase().endsWith(APPLE_RELAY)
          ? 'Apple hid your own address from us, so we cannot tell that it is you. If your invitation went to your own address, sign out and use the address we wrote to.'
          : 'Your invitation may have gone to another one. If so, sign out and use the address we wrote to.'}
      </p>
      {failed && <Alert>Sign-out didn&apos;t work. Please try again.</Alert>}
      <Button
        variant="secondary"
        className={button.fits}
        pending={leaving}
        data-event="use_another_address"
        onClick={() => void signOut()}
      >
        {leaving ? 'Signing out...' : 'Use another address'}
      </Button>
    </section>
  )
}
