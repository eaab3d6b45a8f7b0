'use client'

import { useEffect, useRef, useState, type FormEvent } from 'react'
import { announceProblem } from '@/lib/analytics/problems'
import { NETWORK_ERROR } from '@/lib/api/messages'
import type { WaitlistSource } from '@/lib/api/types'
import { useHydrated } from '@/lib/use-hydrated'
import button from '../button.module.css'
import styles from './waitlist-form.module.css'

type State =
  | { name: 'idle' }
  | { name: 'submitting' }
  | { name: 'success'; message: string }
  | { name: 'error'; error: string }

const joining = () => import('@/lib/api/join-waitlist')

interface WaitlistFormProps {
  /** Where the sign-up comes from, as the API names it. */
  source: WaitlistSource
  /** Address to start with, such as that of a signed-in visitor. */
  defaultEmail?: string
  /** Called once the address is on the list. */
  onJoined?: () => void
}

/**
 * Asks for an e-mail address and puts it on the waitlist. Four states: idle, submitting, success
 * (the form gives way to the confirmation) and error.
 */
export function WaitlistForm({ source, defaultEmail = '', onJoined }: WaitlistFormProps) {
  const [state, setState] = useState<State>({ name: 'idle' })
  const input = useRef<HTMLInputElement>(null)
  const confirmation = useRef<HTMLParagraphElement>(null)
  const submitting = state.name === 'submitting'
  // Before the script runs, a submit would be the browser's own: the page reloads, the sign-up is lost.
  const hydrated = useHydrated()

  // A disabled field and a removed form both drop the focus: it goes where the answer is.
  useEffect(() => {
    if (state.name === 'error') input.current?.focus()
    if (state.name === 'success') confirmation.current?.focus()
  }, [state.name])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (submitting || !input.current) return
    const email = input.current.value.trim()
    setState({ name: 'submitting' })
    const outcome = await joining()
      .then(({ joinWaitlist }) => joinWaitlist(email, source))
      .catch(() => ({ ok: false, error: NETWORK_ERROR }) as const)
    if (!outcome.ok) {
      setState({ name: 'error', error: outcome.error })
      announceProblem(outcome.error)
      return
    }
    setState({ name: 'success', message: outcome.message })
    onJoined?.()
  }

  if (state.name === 'success') {
    return (
      <div className={styles.success} role="status">
        <Tick />
        <div>
          <p ref={confirmation} tabIndex={-1} className={styles.confirmation}>
            {state.message}
          </p>
          <p className={styles.notify}>
            We&rsquo;ll notify you by e-mail when your place is ready.
          </p>
        </div>
      </div>
    )
  }

  return (
    <form
      name={source}
      method="post"
      className={styles.form}
      onSubmit={submit}
      aria-busy={submitting}
    >
      <label htmlFor={`${source}-email`} className="visually-hidden">
        E-mail address
      </label>
      <div className={styles.row}>
        <input
          ref={input}
          id={`${source}-email`}
          className={styles.input}
          type="email"
          name="email"
          required
          maxLength={254}
          autoComplete="email"
          autoCapitalize="none"
          spellCheck={false}
          placeholder="you@company.com"
          defaultValue={defaultEmail}
          onFocus={() =>
            void joining().then(
              ({ prepareToJoin }) => prepareToJoin(),
              () => {},
            )
          }
          disabled={submitting}
          aria-invalid={state.name === 'error' || undefined}
          aria-describedby={state.name === 'error' ? `${source}-error` : undefined}
        />
        <button
          type="submit"
          className={`${button.primary} ${styles.submit}`}
          disabled={submitting || !hydrated}
        >
          {submitting ? 'Joining...' : 'Join Waitlist'}
        </button>
      </div>
      <p id={`${source}-error`} className={styles.error} role="alert">
        {state.name === 'error' ? state.error : null}
      </p>
    </form>
  )
}

function Tick() {
  return (
    <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" className={styles.tick}>
      <circle cx="12" cy="12" r="11" fill="currentColor" />
      <path
        d="m7 12.4 3.3 3.3L17 9"
        fill="none"
        stroke="var(--color-positive-wash)"
        strokeWidth="2.2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  )
}
