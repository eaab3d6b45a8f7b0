import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useState } from 'react'
import { knownSettings } from '@/config/settings'
import { useSession } from '@/features/session/session-provider'
import { useAuth } from '@/features/session/use-auth'
import { learnAppLink } from '@/lib/auth/return-to'
import { takeSignInAddress } from '@/lib/auth/sign-in-address'
import { tokenOwner } from '@/lib/api/token-owner'
import { leaveTo } from '@/lib/leave'
import {
  type CallbackOutcome,
  type CallbackRequest,
  readCallbackRequest,
  runCallback,
} from './callback-flow'
import { markOpened } from './opened'
import { forgetApp, madeSession, type PendingSignIn, pendingSignIn } from './pending-app'
import { useRetrying } from './use-retrying'

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const mayForwardTokens = async () => (await knownSettings()).handOff.tokens

interface CallbackFlow {
  /** Where the sign-in goes on, null until that is known. */
  outcome: CallbackOutcome | null
  /** Runs the flow again, unless it is running again already. */
  retry: () => Promise<void>
  retrying: boolean
}

/** The flow runs once, and again until the server has answered. */
export function useCallbackFlow(): CallbackFlow {
  const session = useSession()
  const router = useRouter()
  const { status } = useAuth()
  const opened = useRef<{ address: URL; referrer: string }>(null)
  const request = useRef<CallbackRequest>(null)
  const [outcome, setOutcome] = useState<CallbackOutcome | null>(null)

  const run = useCallback(
    async (request: CallbackRequest, pending: PendingSignIn | null) => {
      setOutcome((before) => (before?.kind === 'unreachable' ? null : before))
      const readSession = async () => {
        try {
          return session.session ?? (await session.read()) ?? (session.disabled ? 'disabled' : null)
        } catch {
          return 'unreachable'
        }
      }
      const decided = await runCallback(request, {
        readSession,
        signedInFor: (app, session) => madeSession(pending, app, session),
        tokenOwner,
        mayForwardTokens,
        wait,
      })
      if (decided.kind === 'unreachable') void session.retry()
      setOutcome(decided)
      if (decided.kind === 'failed' && decided.atOnce) {
        markOpened()
        leaveTo(decided.url)
      }
      if (decided.kind === 'page') router.replace(decided.path)
    },
    [session, router],
  )

  const goOn = useCallback(async () => {
    if (request.current) return run(request.current, null)
    if (!opened.current) return
    const { address, referrer } = opened.current
    try {
      await learnAppLink(address.searchParams.get('callback'))
    } catch {
      return setOutcome({ kind: 'unverified' })
    }
    request.current = readCallbackRequest(address, referrer)
    const pending = pendingSignIn()
    forgetApp()
    await run(request.current, pending)
  }, [run])

  useEffect(() => {
    if (opened.current) return
    opened.current = { address: takeSignInAddress(), referrer: document.referrer }
    void goOn()
  }, [goOn])

  const { retry, retrying } = useRetrying(goOn, outcome?.kind === 'unverified')

  const answered = status === 'signed-in' || status === 'signed-out'
  useEffect(() => {
    if (outcome?.kind !== 'unreachable' || !answered || retrying) return
    void retry()
  }, [outcome, answered, retrying, retry])

  return { outcome, retry, retrying }
}
