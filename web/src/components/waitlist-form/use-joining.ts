import { useState } from 'react'
import { announceProblem } from '@/lib/analytics/problems'
import { NETWORK_ERROR } from '@/lib/api/messages'
import type { WaitlistSource } from '@/lib/api/types'

type State =
  | { name: 'idle' }
  | { name: 'submitting' }
  | { name: 'success'; message: string }
  | { name: 'error'; error: string }

const loading = () => import('@/lib/api/join-waitlist')

/** Puts an address on the waitlist, with what it takes to do so loaded when it is needed. */
export function useJoining(source: WaitlistSource, onJoined?: (message: string) => void) {
  const [state, setState] = useState<State>({ name: 'idle' })

  async function join(email: string) {
    setState({ name: 'submitting' })
    const outcome = await loading()
      .then(({ joinWaitlist }) => joinWaitlist(email, source))
      .catch(() => ({ ok: false, error: NETWORK_ERROR }) as const)
    if (!outcome.ok) {
      setState({ name: 'error', error: outcome.error })
      announceProblem(outcome.error)
      return
    }
    setState({ name: 'success', message: outcome.message })
    onJoined?.(outcome.message)
  }

  /** Somebody is about to join. */
  const prepare = () =>
    void loading().then(
      ({ prepareToJoin }) => prepareToJoin(),
      () => {},
    )

  return { state, join, prepare }
}
