import { useEffect, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { Button } from '@/components/button'
import { paths } from '@/config/paths'
import { useSignInAgain } from '@/features/session/use-sign-in-again'
import styles from './deletion.module.css'

/** Says that the last sign-in is too old, and leads through a new one back to the question. */
export function FreshSignIn() {
  const { start, starting, error } = useSignInAgain(paths.deleteAccount)
  const heading = useRef<HTMLHeadingElement>(null)
  // The form has gone, with the button that was pressed.
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className={styles.form}>
      <div role="status">
        <h3 ref={heading} tabIndex={-1} className={styles.heading}>
          Please sign in again first
        </h3>
        <p className={styles.text}>
          An account can be deleted for 15 minutes after signing in, so that nobody else can do it
          at your desk. You come back to this question.
        </p>
      </div>
      {error && <Alert problem="sign_in_failed">{error}</Alert>}
      <Button pending={starting} data-event="sign_in_again" onClick={() => void start()}>
        Sign in again
      </Button>
    </div>
  )
}
