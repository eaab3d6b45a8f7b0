import { type ReactNode, useEffect, useRef } from 'react'
import { Alert } from '@/components/app/alert'
import { Button } from '@/components/button'
import { useSignInAgain } from '@/features/session/use-sign-in-again'
import styles from './deletion.module.css'

interface FreshSignInProps {
  /** The page of the site that the sign-in comes back to. */
  returnTo: string
  /** Why it is needed. */
  children: ReactNode
}

/** Says that the last sign-in is too old, and leads through a new one back to where the person was. */
export function FreshSignIn({ returnTo, children }: FreshSignInProps) {
  const { start, starting, error } = useSignInAgain(returnTo)
  const heading = useRef<HTMLHeadingElement>(null)
  // The form has gone, with the button that was pressed.
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className={styles.form}>
      <div role="status">
        <h3 ref={heading} tabIndex={-1} className={styles.heading}>
          Please sign in again first
        </h3>
        <p className={styles.text}>{children}</p>
      </div>
      {error && <Alert problem="sign_in_failed">{error}</Alert>}
      <Button pending={starting} data-event="sign_in_again" onClick={() => void start()}>
        Sign in again
      </Button>
    </div>
  )
}
