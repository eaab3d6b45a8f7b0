import { useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Button } from '@/components/button'
import { useSignOutOthersMutation } from '@/lib/api/devices-api'
import { problemText } from '@/lib/api/problem'
import styles from './others-offer.module.css'

/** Offers, after a change of how the person signs in, to end whatever is signed in elsewhere. */
export function OthersOffer() {
  const [signOut, { isLoading }] = useSignOutOthersMutation()
  const [done, setDone] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const part = useRef<HTMLDivElement>(null)
  const end = async () => {
    setError(null)
    try {
      await signOut().unwrap()
      part.current?.focus() // whose button goes
      setDone(true)
    } catch (problem) {
      setError(problemText(problem))
    }
  }
  return (
    <div ref={part} tabIndex={-1} className={styles.offer}>
      <p role="status">
        {done
          ? 'Your other browsers and Macs are signed out.'
          : 'Other browsers and Macs stay signed in. If one of them may be in other hands, sign out there.'}
      </p>
      {!done && (
        <Button
          variant="secondary"
          size="dense"
          pending={isLoading}
          data-event="sign_out_others"
          onClick={() => void end()}
        >
          Sign out everywhere else
        </Button>
      )}
      {error && <Alert problem="sign_out_others_failed">{error}</Alert>}
    </div>
  )
}
