import { useState, useSyncExternalStore } from 'react'
import { announceProblem } from '@/lib/analytics/problems'
import { joinWaitlist, type Joined } from '@/lib/api/join-waitlist'
import { patiently } from '@/lib/api/patiently'
import { problemText } from '@/lib/api/problem'
import type { WaitlistSource } from '@/lib/api/types'

type State =
  | { name: 'idle' }
  /** `waiting`: rate limited (429); the request is retried after the server's Retry-After. */
  | { name: 'submitting'; waiting: boolean }
  /** `here`: joined with this form, not with another one of the page. */
  | { name: 'success'; joined: Joined; here: boolean }
  | { name: 'error'; error: string }

/**
 * What was said to who joined with one of the page's forms, for the others. Each is an island of its own, and one
 * may come to life after another was used. Forgotten once no form is left.
 */
let joinedHere: Joined | null = null
const forms = new Set<() => void>()

function subscribe(onChange: () => void) {
  forms.add(onChange)
  return () => {
    forms.delete(onChange)
    if (forms.size === 0) joinedHere = null
  }
}

function tellForms(joined: Joined) {
  joinedHere = joined
  for (const onChange of forms) onChange()
}

/** In seconds: somebody who joins waits longer than the usual call. */
const PATIENCE = 60

/** Puts an address on the waitlist; retries while the rate limit refuses it. */
export function useJoining(source: WaitlistSource, onJoined?: (message: string) => void) {
  const [state, setState] = useState<State>({ name: 'idle' })

  const elsewhere = useSyncExternalStore(
    subscribe,
    () => joinedHere,
    () => null,
  )

  async function join(email: string) {
    const submit = () => joinWaitlist(email, source)
    const onWait = () => setState({ name: 'submitting', waiting: true })
    setState({ name: 'submitting', waiting: false })
    let joined: Joined
    try {
      joined = await patiently(submit, { patience: PATIENCE, onWait })
    } catch (problem) {
      setState({ name: 'error', error: problemText(problem) })
      announceProblem('join_failed')
      return
    }
    setState({ name: 'success', joined, here: true })
    tellForms(joined)
    onJoined?.(joined.message)
  }

  const shown: State =
    elsewhere && (state.name === 'idle' || state.name === 'error')
      ? { name: 'success', joined: elsewhere, here: false }
      : state
  return { state: shown, join }
}
