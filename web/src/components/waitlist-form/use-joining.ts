import { useEffect, useState } from 'react'
import { announceProblem } from '@/lib/analytics/problems'
import { joinWaitlist, type Joined } from '@/lib/api/join-waitlist'
import { secondsToWait } from '@/lib/api/patiently'
import type { WaitlistSource } from '@/lib/api/types'

type State =
  | { name: 'idle' }
  /** `waiting`: rate limited (429); the request is retried after the server's Retry-After. */
  | { name: 'submitting'; waiting: boolean }
  /** `here`: joined with this form, not with another one of the page. */
  | { name: 'success'; joined: Joined; here: boolean }
  | { name: 'error'; error: string }

/** The event that tells the other forms of the page, each of which is an island of its own. */
const JOINED = 'fledge:joined'

/** The time for all retries together, in seconds. */
const RETRY_FOR = 60

/** Puts an address on the waitlist; retries while the rate limit refuses it. */
export function useJoining(source: WaitlistSource, onJoined?: (message: string) => void) {
  const [state, setState] = useState<State>({ name: 'idle' })

  useEffect(() => {
    const joinedElsewhere = (event: Event) => {
      const joined = (event as CustomEvent<Joined>).detail
      setState((now) => (now.name === 'success' ? now : { name: 'success', joined, here: false }))
    }
    window.addEventListener(JOINED, joinedElsewhere)
    return () => window.removeEventListener(JOINED, joinedElsewhere)
  }, [])

  async function join(email: string) {
    setState({ name: 'submitting', waiting: false })
    let outcome = await joinWaitlist(email, source)
    for (let waited = 0; !outcome.ok && outcome.retryAfter;) {
      const seconds = secondsToWait(outcome.retryAfter, waited)
      waited += seconds
      if (waited > RETRY_FOR) break
      setState({ name: 'submitting', waiting: true })
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
      outcome = await joinWaitlist(email, source)
    }
    if (!outcome.ok) {
      setState({ name: 'error', error: outcome.error })
      announceProblem('join_failed')
      return
    }
    setState({ name: 'success', joined: outcome, here: true })
    window.dispatchEvent(new CustomEvent(JOINED, { detail: outcome }))
    onJoined?.(outcome.message)
  }

  return { state, join }
}
