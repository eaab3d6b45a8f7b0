import { useState } from 'react'
import { Alert } from '@/components/app/alert'
import { toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import button from '@/components/button.module.css'
import { useSignOutOthersMutation } from '@/lib/api/devices-api'
import { NETWORK_ERROR, SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import styles from './others-offer.module.css'

/** Offers, after a change of how the person signs in, to end whatever is signed in elsewhere. */
export function OthersOffer() {
  const [signOut, { isLoading }] = useSignOutOthersMutation()
  const [done, setDone] = useState(false)
  const [error, setError] = useState<string | null>(null)
  if (done) return null
  const end = async () => {
    setError(null)
    try {
      await signOut().unwrap()
      setDone(true)
      toastSuccess('Signed out everywhere else')
    } catch (problem) {
      setError(problemText(problem, SOMETHING_WRONG, NETWORK_ERROR))
    }
  }
  return (
    <div className={styles.offer}>
      <p role="status">
        Your other browsers and Macs are still signed in. If one of them may be in other hands, sign
        out there.
      </p>
      <Button
        variant="secondary"
        size="dense"
        className={button.fits}
        pending={isLoading}
        data-event="sign_out_others"
        onClick={() => void end()}
      >
        Sign out everywhere else
      </Button>
      {error && <Alert problem="sign_out_others_failed">{error}</Alert>}
    </div>
  )
}
