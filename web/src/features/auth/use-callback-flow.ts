import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useState } from 'react'
import { loadSettings } from '@/config/settings'
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

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const mayForwardTokens = async () => (await loadSettings()).handOff.tokens

interface CallbackFlow {
  /** Where the sign-in goes on, null until that is known. */
  outcome: CallbackOutcome | null
  /** Runs the flow again, unless it is running again already. */
  retry: () => Promise<void>
  retrying: boolean
}

/** How long after an API that did not answer whose the tokens are it is asked again, in milliseconds. */
const VERIFY_AGAIN_MS = 10_000

/** The flow runs once, and again until the server has answered. */
export function useCallbackFlow(): CallbackFlow {
  const session = useSession()
  const router = useRouter()
  const { status } = useAuth()
  const started = useRef(false)
  const request = useRef<CallbackRequest>(null)
  const [outcome, setOutcome] = useState<CallbackOutcome | null>(null)

  const run = useCallback(
    async (request: CallbackRequest, pending: PendingSignIn | null) => {
      const readSession = () =>
        session.session ?? session.read().catch(() => 'unreachable' as const)
      const decided = await runCallback(request, {
        readSession: async () => readSession(),
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

  useEffect(() => {
    if (started.current) return
    started.current = true
    const address = takeSignInAddress()
    const { referrer } = document
    void learnAppLink(address.searchParams.get('callback')).then(() => {
      request.current = readCallbackRequest(address, referrer)
      const pending = pendingSignIn()
      forgetApp()
      void run(request.current, pending)
    })
  }, [run])

  const running = useRef(false)
  const [retrying, setRetrying] = useState(false)
  const retry = useCallback(async () => {
    if (!request.current || running.current) return
    running.current = true
    setRetrying(true)
    try {
      await run(request.current, null)
    } finally {
      running.current = false
      setRetrying(false)
    }
  }, [run])

  useEffect(() => {
    if (outcome?.kind !== 'unverified' || retrying) return
    const timer = setTimeout(() => void retry(), VERIFY_AGAIN_MS)
    return () => clearTimeout(timer)
  }, [outcome, retrying, retry])

  const answered = status === 'signed-in' || status === 'signed-out'
  useEffect(() => {
    if (outcome?.kind !== 'unreachable' || !answered || retrying || !request.current) return
    setOutcome(null)
    void retry()
  }, [outcome, answered, retrying, retry])

  return { outcome, retry, retrying }
}
