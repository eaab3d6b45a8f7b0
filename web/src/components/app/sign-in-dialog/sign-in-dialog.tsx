'use client'

import { useCallback, useState } from 'react'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { announceProblem } from '@/lib/analytics/problems'
import { problemText } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import type { Provider } from '@/lib/api/types'
import { returnToPage } from '@/lib/auth/return-to'
import { usePageRestored } from '@/lib/use-page-restored'
import { Dialog, DialogBody } from '../dialog'
import { providerButtons, providers } from './providers'
import styles from './sign-in-dialog.module.css'

const ERROR = 'An error occurred'

interface SignInDialogProps {
  open: boolean
  onClose: () => void
  /** Path of the page to come back to after signing in. */
  returnTo: string
  /** Goes to the provider's page; tests take its place. */
  navigate?: (url: string) => void
}

/** The sign-in dialog, modal and closed by Escape or its backdrop. */
export function SignInDialog({ open, onClose, returnTo, navigate }: SignInDialogProps) {
  const [pending, setPending] = useState(false)
  const [error, setError] = useState<string | null>(null)

  usePageRestored(useCallback(() => setPending(false), []))

  async function signIn(provider: Provider) {
    setPending(true)
    setError(null)
    try {
      const url = await startSignIn(provider, { return_to: returnToPage(returnTo) })
      if (navigate) navigate(url)
      else window.location.assign(url)
    } catch (problem) {
      const text = problemText(problem, ERROR)
      announceProblem(text)
      setError(text)
      setPending(false)
    }
  }

  function closed() {
    setError(null)
    setPending(false)
    onClose()
  }

  return (
    <Dialog open={open} title="Sign in" size="slim" onClose={closed}>
      <DialogBody className={styles.choices}>
        <p className={styles.error} role="alert">
          {error}
        </p>
        {providers.map((provider) => {
          const { label, Logo } = providerButtons[provider]
          return (
            <button
              key={provider}
              type="button"
              className={styles.provider}
              disabled={pending}
              onClick={() => void signIn(provider)}
            >
              <Logo />
              {label}
            </button>
          )
        })}
        <p className={styles.note}>
          By continuing you agree to the {site.name} <a href={paths.terms}>Terms</a> and{' '}
          <a href={paths.privacy}>Privacy Policy</a>.
        </p>
      </DialogBody>
    </Dialog>
  )
}
