import { useCallback, useRef, useState } from 'react'
import { useSession } from '@/features/session/session-provider'
import { handOff } from '@/lib/api/hand-off'
import type { User } from '@/lib/api/types'
import { leaveTo } from '@/lib/leave'
import { type AppRequest, withCode } from './app-request'
import { sendSession } from './token-fragment'

/** The state of opening the app. */
export interface AppOpener {
  /** Whether the app's link is being created. */
  busy: boolean
  /** Whom the app was opened for; null before. */
  opened: User | null
  /** Why the last attempt failed: a `Problem`; null when it did not. */
  problem: unknown
  /** Opens the app for the person who agreed. Resolves to false when it is somebody else's browser now. */
  open: (person: User) => Promise<boolean>
}

/**
 * Hands this browser's session over to the app. With a PKCE challenge each opening requests a new code; without one,
 * a session for the app is requested once and reused.
 */
export function useAppOpener(app: AppRequest): AppOpener {
  const session = useSession()
  const sent = useRef<{ url: string; to: string } | null>(null)
  const [state, setState] = useState<Omit<AppOpener, 'open'>>({
    busy: false,
    opened: null,
    problem: null,
  })

  const open = useCallback(
    async (person: User) => {
      const isStillHere = () => session.session?.user.id === person.id
      setState((before) => ({ ...before, busy: true, problem: null }))
      try {
        const url = sent.current?.to === person.id ? sent.current.url : await address()
        // Another tab may have signed in somebody else, also while the server was asked.
        const same = isStillHere()
        if (same) leaveTo(url)
        setState({ busy: false, opened: same ? person : null, problem: null })
        return same
      } catch (problem) {
        const replaced = session.session !== null && !isStillHere()
        setState((before) => ({ ...before, busy: false, problem: replaced ? null : problem }))
        return !replaced
      }

      async function address(): Promise<string> {
        const { callback, challenge } = app
        const bound = challenge
          ? { code_challenge: challenge, code_challenge_method: 'S256' as const }
          : {}
        const answer = await handOff({ callback, ...bound }, session.tokens)
        if ('code' in answer) return withCode(app, answer.code)
        const url = sendSession(app, answer.session)
        sent.current = { url, to: answer.session.user.id }
        return url
      }
    },
    [app, session],
  )

  return { ...state, open }
}
