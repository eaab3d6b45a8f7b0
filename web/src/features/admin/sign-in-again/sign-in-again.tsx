import { useEffect } from 'react'
import { Alert } from '@/components/app/alert'
import confirm from '@/components/app/confirm-dialog.module.css'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Button } from '@/components/button'
import { paths } from '@/config/paths'
import { useSignInAgain } from '@/features/session/use-sign-in-again'
import type { SignInWanted } from '@/lib/api/sign-in-wanted'
import { useAppDispatch, useAppSelector } from '@/store/hooks'
import { declined, selectSignInWanted } from '@/store/sign-in-slice'
import { saveDeepLink } from '../deep-link'
import styles from './sign-in-again.module.css'

const reasons: Record<SignInWanted, string> = {
  fresh:
    'This can be done for 15 minutes after signing in, so that nobody else can do it at your desk.',
  staff:
    'The staff pages are open for 12 hours after signing in, so that nobody else can use them on your computer.',
}

/**
 * Whatever the server refuses on the staff's pages until the person signs in again leads through a sign-in and back
 * to the same page. What was typed is in drafts (`useDraft`).
 */
export function SignInAgain() {
  const dispatch = useAppDispatch()
  const wanted = useAppSelector(selectSignInWanted)
  // Another page may have been refused something before.
  useEffect(() => void dispatch(declined()), [dispatch])
  return wanted && <Question key={wanted} wanted={wanted} onClose={() => dispatch(declined())} />
}

function Question({ wanted, onClose }: { wanted: SignInWanted; onClose: () => void }) {
  const { start, starting, error } = useSignInAgain(paths.admin)
  const go = () => {
    saveDeepLink()
    void start()
  }
  return (
    <Dialog
      open
      size="slim"
      title="Please sign in again"
      description={reasons[wanted]}
      onClose={onClose}
    >
      <DialogBody className={styles.body}>
        <p>You come back to this page, and what you have typed is kept.</p>
        {error && <Alert problem="sign_in_failed">{error}</Alert>}
        <div className={confirm.actions}>
          <Button variant="secondary" data-event="cancel" onClick={onClose}>
            Not now
          </Button>
          <Button pending={starting} data-event="sign_in_again" onClick={go}>
            Sign in again
          </Button>
        </div>
      </DialogBody>
    </Dialog>
  )
}
