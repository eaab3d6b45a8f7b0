'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import button from '@/components/button.module.css'
import { paths } from '@/config/paths'
import { loadSettings } from '@/config/settings'
import { useSession } from '@/features/session/session-provider'
import { takeSignInAddress } from '@/lib/auth/sign-in-address'
import { AppTold } from './app-told'
import {
  type CallbackOutcome,
  readCallbackRequest,
  type Refusal,
  runCallback,
} from './callback-flow'
import { HandOff } from './hand-off'
import { leaveTo } from '@/lib/leave'
import { OpenApp } from './open-app'
import { forgetApp } from './pending-app'

const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
const mayForwardTokens = async () => (await loadSettings()).handOff.tokens

/** /auth/callback: where a sign-in comes back to, and goes on to the app or to a page. */
export function CallbackScreen() {
  const session = useSession()
  const router = useRouter()
  const started = useRef(false)
  const [outcome, setOutcome] = useState<CallbackOutcome | null>(null)

  useEffect(() => {
    if (started.current) return
    started.current = true
    forgetApp()
    const request = readCallbackRequest(takeSignInAddress(), document.referrer)
    const readSession = async () => session.session ?? (await session.read().catch(() => null))
    void runCallback(request, { readSession, mayForwardTokens, wait }).then((decided) => {
      setOutcome(decided)
      if (decided.kind === 'app') leaveTo(decided.url)
      if (decided.kind === 'page') router.replace(decided.path)
    })
  }, [session, router])

  if (outcome?.kind === 'refused') return <Refused refusal={outcome.refusal} />
  if (outcome?.kind === 'hand-off') return <HandOff app={outcome.app} />
  if (outcome?.kind !== 'app') return <WaitingScreen text="Signing you in..." />
  if (!outcome.signedIn) return <AppTold url={outcome.url} />
  return <OpenApp open={() => leaveTo(outcome.url)} />
}

const refusals: Record<Refusal, string> = {
  invalid:
    'The link does not lead back to the app on your Mac. Start the sign-in again from there.',
  unreadable:
    'The link does not say which account signed in. Start the sign-in again from the app on your Mac.',
  'tokens-off':
    'The link uses a sign-in method that is no longer accepted. Update the app on your Mac, then start again from there.',
}

function Refused({ refusal }: { refusal: Refusal }) {
  return (
    <NoticeScreen title="This link can't be opened" text={refusals[refusal]}>
      <a href={paths.home} className={`${button.secondary} ${button.raised}`}>
        Return to Home
      </a>
    </NoticeScreen>
  )
}
