'use client'

import { useEffect, useId, useRef, useState, type MouseEvent } from 'react'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { problemText } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import type { Provider } from '@/lib/api/types'
import { AppleLogo, GoogleLogo } from './provider-logos'
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

/** The sign-in dialog (spec section 2, 'Sign-in modal'), modal and closed by Escape or its backdrop. */
export function SignInDialog({ open, onClose, returnTo, navigate }: SignInDialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  const [pending, setPending] = useState<Provider | null>(null)
  const [error, setError] = useState<string | null>(null)

  useEffect(() => {
    const element = dialog.current
    if (open && !element?.open) element?.showModal()
    if (!open && element?.open) element.close()
  }, [open])

  async function signIn(provider: Provider) {
    setPending(provider)
    setError(null)
    try {
      const back = `/auth/callback?redirect=${encodeURIComponent(returnTo)}`
      const url = await startSignIn(provider, { return_to: back })
      if (navigate) navigate(url)
      else window.location.assign(url)
    } catch (problem) {
      setError(problemText(problem, ERROR))
      setPending(null)
    }
  }

  function closeOnBackdrop(event: MouseEvent<HTMLDialogElement>) {
    if (event.target === dialog.current) dialog.current?.close()
  }

  function closed() {
    setError(null)
    setPending(null)
    onClose()
  }

  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={`${id}-title`}
      onClose={closed}
      onClick={closeOnBackdrop}
    >
      <div className={styles.body}>
        <div className={styles.head}>
          <h2 id={`${id}-title`}>Sign in</h2>
          <button
            type="button"
            className={styles.close}
            aria-label="Close"
            onClick={() => dialog.current?.close()}
          >
            <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
              <path d="M5 5l14 14M19 5 5 19" stroke="currentColor" strokeWidth="2" fill="none" />
            </svg>
          </button>
        </div>
        <p className={styles.error} role="alert">
          {error}
        </p>
        <button
          type="button"
          className={styles.provider}
          disabled={pending !== null}
          onClick={() => signIn('google')}
        >
          <GoogleLogo />
          Continue with Google
        </button>
        <button
          type="button"
          className={styles.provider}
          disabled={pending !== null}
          onClick={() => signIn('apple')}
        >
          <AppleLogo />
          Continue with Apple
        </button>
        <p className={styles.note}>
          By continuing you agree to the {site.name} <a href={paths.terms}>Terms</a> and{' '}
          <a href={paths.privacy}>Privacy Policy</a>.
        </p>
      </div>
    </dialog>
  )
}
