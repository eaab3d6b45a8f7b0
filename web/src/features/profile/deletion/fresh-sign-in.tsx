import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Button } from '@/components/button'
import { useAuth } from '@/features/session/use-auth'
import { NETWORK_ERROR, SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import { returnToPage } from '@/lib/auth/return-to'
import { leaveTo } from '@/lib/leave'
import { usePageRestored } from '@/lib/use-page-restored'
import styles from './deletion.module.css'

interface FreshSignInProps {
  /** The page of the site that the sign-in comes back to. */
  returnTo: string
  /** Why it is needed. */
  children: ReactNode
}

/** Says that the last sign-in is too old, and leads through a new one back to where the person was. */
export function FreshSignIn({ returnTo, children }: FreshSignInProps) {
  const { start, starting, error } = useFreshSignIn(returnTo)
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

/** A sign-in with the provider of the last one, which is asked although there is a session. */
function useFreshSignIn(page: string) {
  const { user } = useAuth()
  const [starting, setStarting] = useState(false)
  const [error, setError] = useState<string | null>(null)

  usePageRestored(useCallback(() => setStarting(false), []))

  const start = async () => {
    setStarting(true)
    setError(null)
    const provider = user?.app_metadata.provider === 'apple' ? 'apple' : 'google'
    try {
      const target = { return_to: returnToPage(page) }
      leaveTo(await startSignIn(provider, target, { refresh: true }))
    } catch (problem) {
      setError(problemText(problem, SOMETHING_WRONG, NETWORK_ERROR))
      setStarting(false)
    }
  }

  return { start, starting, error }
}
