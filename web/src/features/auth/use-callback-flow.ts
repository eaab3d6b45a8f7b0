import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useState } from 'react'
import { loadSettings } from '@/config/settings'
import { useSession } from '@/features/session/session-provider'
import { useAuth } from '@/features/session/use-auth'
import { takeSignInAddress } from '@/lib/auth/sign-in-address'
import { leaveTo } from '@/lib/leave'
import { type AppRequest, sameApp } from './app-request'
import {
  type CallbackOutcome,
  type CallbackRequest,
  readCallbackRequest,
  runCallback,
} from './callback-flow'
import { markOpened } from './opened'
import { forgetApp, pendingApp } from './pending-app'

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const mayForwardTokens = async () => (await loadSettings()).handOff.tokens

/**
 * Where the sign-in goes on, null until that is known; `open` opens the app when the person asks for it.
 * The flow runs once, and again when a server that did not answer does.
 */
export function useCallbackFlow() {
  const session = useSession()
  const router = useRouter()
  const { status } = useAuth()
  const request = useRef<CallbackRequest>(null)
  const [outcome, setOutcome] = useState<CallbackOutcome | null>(null)

  const run = useCallback(
    async (request: CallbackRequest, began: (app: AppRequest) => boolean) => {
      const readSession = () =>
        session.session ?? session.read().catch(() => 'unreachable' as const)
      const page = { readSession: async () => readSession(), mayForwardTokens, began, wait }
      const decided = await runCallback(request, page)
      if (decided.kind === 'unreachable') void session.retry()
      setOutcome(decided)
      if (decided.kind === 'app' && decided.atOnce) {
        markOpened()
        leaveTo(decided.url)
      }
      if (decided.kind === 'page') router.replace(decided.path)
    },
    [session, router],
  )

  useEffect(() => {
    if (request.current) return
    request.current = readCallbackRequest(takeSignInAddress(), document.referrer)
    const pending = pendingApp()
    forgetApp()
    void run(request.current, (app) => pending !== null && sameApp(pending, app))
  }, [run])

  const answered = status === 'signed-in' || status === 'signed-out'
  useEffect(() => {
    if (outcome?.kind !== 'unreachable' || !answered || !request.current) return
    setOutcome(null)
    void run(request.current, () => false)
  }, [outcome, answered, run])

  const open = () => {
    if (outcome?.kind !== 'app') return
    markOpened()
    leaveTo(outcome.url)
    setOutcome({ ...outcome, atOnce: true })
  }
  return { outcome, open }
}
