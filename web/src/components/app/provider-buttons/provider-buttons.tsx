'use client'

import { useCallback, useState } from 'react'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { answerOf, problemText } from '@/lib/api/problem'
import { type SignInStart, startSignIn } from '@/lib/api/sign-in'
import type { Provider } from '@/lib/api/types'
import { leaveTo } from '@/lib/leave'
import { usePageRestored } from '@/lib/use-page-restored'
import { Button } from '../../button'
import { Alert } from '../alert'
import { BrowserNotice } from './browser-notice'
import styles from './provider-buttons.module.css'
import { providerButtons, providers } from './providers'

interface ProviderButtonsProps {
  start: SignInStart
  /** What is started instead once the server says that `start` has expired. */
  afterwards?: SignInStart
  offer?: readonly Provider[]
  /** Asks the provider although somebody is signed in. */
  refresh?: boolean
  /** Gets the address that the browser goes on to, before it does. */
  onStarted?: (url: string) => void
}

/**
 * Starts a sign-in with one of the offered providers. All buttons rest after a click: a second
 * start in the same browser would make the first one fail at its return.
 */
export function ProviderButtons(props: ProviderButtonsProps) {
  const { start, afterwards = start, offer = providers, refresh = false, onStarted } = props
  const [pending, setPending] = useState<Provider | null>(null)
  const [expired, setExpired] = useState(false)
  const [error, setError] = useState<string | null>(null)

  usePageRestored(useCallback(() => setPending(null), []))

  const signIn = async (provider: Provider) => {
    setPending(provider)
    setError(null)
    try {
      const url = await startSignIn(provider, expired ? afterwards : start, { refresh })
      onStarted?.(url)
      leaveTo(url)
    } catch (problem) {
      if (answerOf(problem)?.code === 'sign_in_expired') setExpired(true)
      setError(problemText(problem, 'An error occurred'))
      setPending(null)
    }
  }

  return (
    <div className={styles.providers}>
      <BrowserNotice />
      {error && <Alert problem="sign_in_failed">{error}</Alert>}
      {offer.map((provider) => {
        const { label, Logo } = providerButtons[provider]
        return (
          <Button
            key={provider}
            variant="secondary"
            size="large"
            pending={pending === provider}
            aria-disabled={pending !== null}
            data-event={`sign_in_${provider}`}
            onClick={() => void signIn(provider)}
          >
            <Logo />
            {label}
          </Button>
        )
      })}
      <p className={styles.note}>
        By continuing you agree to the {site.name} <a href={paths.terms}>Terms</a> and{' '}
        <a href={paths.privacy}>Privacy Policy</a>.
      </p>
    </div>
  )
}
