'use client'

import { useEffect, useRef, type FormEvent } from 'react'
import type { WaitlistSource } from '@/lib/api/types'
import { useHydrated } from '@/lib/use-hydrated'
import button from '../button.module.css'
import { Confirmation } from './confirmation'
import { useJoining } from './use-joining'
import styles from './waitlist-form.module.css'

interface WaitlistFormProps {
  /** Where the sign-up comes from, as the API names it. */
  source: WaitlistSource
  /** The address that joins, such as that of a signed-in visitor; without one the form asks for it. */
  email?: string
  /** Called once the address is on the list, with what the server says. */
  onJoined?: (message: string) => void
}

/**
 * Asks for an email address and puts it on the waitlist. Four states: idle, submitting, success
 * (the form gives way to the confirmation) and error.
 */
export function WaitlistForm({ source, email = '', onJoined }: WaitlistFormProps) {
  const { state, join, prepare } = useJoining(source, onJoined)
  const input = useRef<HTMLInputElement>(null)
  const submitting = state.name === 'submitting'
  const failed = state.name === 'error'
  // Before the script runs, a submit would be the browser's own: the page reloads, the sign-up is lost.
  const hydrated = useHydrated()

  // A disabled field drops the focus: it goes where the answer is.
  useEffect(() => {
    if (failed) input.current?.focus()
  }, [failed])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!submitting && input.current) void join(input.current.value.trim())
  }

  if (state.name === 'success') return <Joined message={state.message} />

  return (
    <form
      name={source}
      method="post"
      className={styles.form}
      onSubmit={submit}
      aria-busy={submitting}
    >
      <label htmlFor={`${source}-email`} className="visually-hidden">
        Email address
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
          defaultValue={email}
          readOnly={email !== ''}
          onFocus={prepare}
          disabled={submitting}
          aria-invalid={failed || undefined}
          aria-describedby={failed ? `${source}-error` : undefined}
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
        {failed ? state.error : null}
      </p>
    </form>
  )
}

/** Takes the place of the form, and the focus that the form had. */
function Joined({ message }: { message: string }) {
  const text = useRef<HTMLParagraphElement>(null)
  useEffect(() => text.current?.focus(), [])
  return (
    <Confirmation ref={text} message={message}>
      <p className={styles.notify}>We&apos;ll notify you by email when your place is ready.</p>
    </Confirmation>
  )
}
