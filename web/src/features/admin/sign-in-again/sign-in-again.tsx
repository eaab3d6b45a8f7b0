import { useEffect } from 'react'
import { Alert } from '@/components/app/alert'
import confirm from '@/components/app/confirm-dialog.module.css'
import { Dialog, DialogBody } from '@/components/app/dialog'
import { Button } from '@/components/button'
import { paths } from '@/config/paths'
import { CodeDialog } from '@/features/session/second-factor/code-dialog'
import { useAuth } from '@/features/session/use-auth'
import { useSignInAgain } from '@/features/session/use-sign-in-again'
import type { SignInWanted } from '@/lib/api/sign-in-wanted'
import { useAppDispatch, useAppSelector } from '@/store/hooks'
import { declined, selectSignInWanted } from '@/store/sign-in-slice'
import { askAgain } from '@/lib/api/ask-again'
import { saveDeepLink } from '../deep-link'
import styles from './sign-in-again.module.css'

const reasons: Record<Exclude<SignInWanted, 'code'>, string> = {
  fresh:
    'This can be done for 15 minutes after signing in, so that nobody else can do it at your desk.',
  staff:
    'The staff pages are open for 12 hours after signing in, so that nobody else can use them on your computer.',
}

const CODE =
  'The staff pages ask for it once after each sign-in, so that your Google or Apple account alone does not open them.'

/**
 * Whatever the server refuses on the staff's pages until the person signs in again leads through a sign-in and back
 * to the same page. What was typed is in drafts (`useDraft`). A code of the second factor is asked for on the page.
 */
export function SignInAgain() {
  const dispatch = useAppDispatch()
  const wanted = useAppSelector(selectSignInWanted)
  // Another page may have been refused something before.
  useEffect(() => void dispatch(declined()), [dispatch])
  const close = () => void dispatch(declined())
  if (wanted === 'code') {
    const goOn = () => {
      close()
      void dispatch(askAgain())
    }
    return <CodeDialog description={CODE} onVerified={goOn} onClose={close} />
  }
  return wanted && <Question key={wanted} wanted={wanted} onClose={close} />
}

interface QuestionProps {
  wanted: Exclude<SignInWanted, 'code'>
  onClose: () => void
}

function Question({ wanted, onClose }: QuestionProps) {
  const { start, starting, error } = useSignInAgain(paths.admin)
  const { user } = useAuth()
  const go = () => {
    saveDeepLink(user?.id)
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
