import { useCallback, useRef, useState } from 'react'
import { useSession } from '@/features/session/session-provider'
import { handOff } from '@/lib/api/hand-off'
import { type AppRequest, withCode } from './app-request'
import { leaveTo } from '@/lib/leave'
import { sendSession } from './token-fragment'

/** The state of opening the app. */
export interface AppOpener {
  /** Whether the app's link is being created. */
  busy: boolean
  /** Whether the app was opened at least once. */
  opened: boolean
  /** Why the last attempt failed: a `Problem`; null when it did not. */
  problem: unknown
  open: () => Promise<void>
}

/**
 * Hands this browser's session over to the app. With a PKCE challenge each opening requests a new code; without one,
 * a session for the app is requested once and reused. Calls `onOpened` right before the app is opened.
 */
export function useAppOpener(
  app: AppRequest,
  onOpened: () => void,
  openedBefore: boolean,
): AppOpener {
  const session = useSession()
  const sent = useRef<string | null>(null)
  const [state, setState] = useState({
    busy: false,
    opened: openedBefore,
    problem: null as unknown,
  })

  const open = useCallback(async () => {
    setState((before) => ({ ...before, busy: true, problem: null }))
    try {
      const url = sent.current ?? (await address())
      onOpened()
      leaveTo(url)
      setState({ busy: false, opened: true, problem: null })
    } catch (problem) {
      setState((before) => ({ ...before, busy: false, problem }))
    }

    async function address(): Promise<string> {
      const { callback, challenge } = app
      const bound = challenge
        ? { code_challenge: challenge, code_challenge_method: 'S256' as const }
        : {}
      const answer = await handOff({ callback, ...bound }, session.tokens)
      if ('code' in answer) return withCode(app, answer.code)
      return (sent.current = sendSession(app, answer.session))
    }
  }, [app, session, onOpened])

  return { ...state, open }
}
