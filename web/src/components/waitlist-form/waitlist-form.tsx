'use client'

import { useEffect, useRef, type FormEvent } from 'react'
import { site } from '@/config/site'
import type { Joined } from '@/lib/api/join-waitlist'
import type { WaitlistSource } from '@/lib/api/types'
import { visibleAddress } from '@/lib/email-address'
import button from '../button.module.css'
import { Confirmation } from './confirmation'
import { useJoining } from './use-joining'
import styles from './waitlist-form.module.css'

interface WaitlistFormProps {
  /** Where the sign-up comes from, as the API names it. */
  source: WaitlistSource
  /** The address that joins, such as that of a signed-in visitor; without one the form asks for it. */
  email?: string
  /** Called once the server has taken the address, with what it says. */
  onJoined?: (message: string) => void
}

/**
 * Asks for an email address and puts it on the waitlist, or has it confirmed first. Four states: idle, submitting, success
 * (the confirmation replaces the form) and error. It can be used before it is hydrated: the page keeps the submit
 * event (`data-keep-submit`, src/inline/keep-submits.ts), and the form replays it.
 */
export function WaitlistForm({ source, email = '', onJoined }: WaitlistFormProps) {
  const { state, join } = useJoining(source, onJoined)
  const form = useKeptSubmit()
  const input = useRef<HTMLInputElement>(null)
  const submitting = state.name === 'submitting'
  const failed = state.name === 'error'

  // The field lost the focus when it was disabled.
  useEffect(() => {
    if (failed) input.current?.focus()
  }, [failed])

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!submitting && input.current) void join(input.current.value.trim())
  }

  if (state.name === 'success') return <Success joined={state.joined} here={state.here} />

  return (
    <form
      ref={form}
      name={source}
      action="/api/add-waitlist-user"
      method="post"
      className={styles.form}
      onSubmit={submit}
      data-keep-submit=""
      aria-busy={submitting}
      // keep-submits.ts sets attributes of this element before it is hydrated.
      suppressHydrationWarning
    >
      <input type="hidden" name="source" value={source} />
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
          disabled={submitting}
          onInput={dropInvisible}
          aria-invalid={failed || undefined}
          aria-describedby={failed ? `${source}-error` : undefined}
          data-join=""
        />
        <button
          type="submit"
          className={`${button.primary} ${styles.submit}`}
          aria-disabled={submitting || undefined}
          data-event="join_waitlist"
        >
          {!submitting ? 'Join Waitlist' : state.waiting ? 'One moment…' : 'Joining...'}
        </button>
      </div>
      <p id={`${source}-error`} className={styles.error} role="alert">
        {failed ? state.error : null}
      </p>
      <noscript>
        <p className={styles.byMail}>
          If the button does nothing here, write to{' '}
          <a href={`mailto:${site.emails.support}`}>{site.emails.support}</a> and we add you to the
          waitlist.
        </p>
      </noscript>
    </form>
  )
}

/** The browser would refuse an address with invisible characters, without a word of what is wrong. */
function dropInvisible({ currentTarget: field }: FormEvent<HTMLInputElement>) {
  const visible = visibleAddress(field.value)
  if (visible !== field.value) field.value = visible
}

/** A ref to the form; once hydrated, it replays a submit that the page has kept. */
function useKeptSubmit() {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    const element = form.current
    if (!element) return
    element.removeAttribute('data-keep-submit')
    if (element.dataset.submitted === undefined) return
    delete element.dataset.submitted
    // Not `requestSubmit`, which Safari before 16 lacks.
    element.dispatchEvent(new Event('submit', { bubbles: true, cancelable: true }))
  }, [])
  return form
}

/** Replaces the form, and gets its focus. */
function Success({ joined, here }: { joined: Joined; here: boolean }) {
  const text = useRef<HTMLParagraphElement>(null)
  useEffect(() => {
    if (here) text.current?.focus()
  }, [here])
  return (
    <Confirmation ref={text} message={joined.message} silent={!here}>
      {!joined.confirm && (
        <p className={styles.notify}>We&apos;ll notify you by email when your place is ready.</p>
      )}
    </Confirmation>
  )
}
