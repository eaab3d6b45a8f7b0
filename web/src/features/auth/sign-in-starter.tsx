'use client'

import { useCallback, useEffect, useRef, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { ProviderButtons } from '@/components/app/provider-buttons/provider-buttons'
import { WaitingScreen } from '@/components/app/waiting-screen'
import button from '@/components/button.module.css'
import { paths } from '@/config/paths'
import { isProblem } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import type { Provider } from '@/lib/api/types'
import { returnToApp } from '@/lib/auth/return-to'
import { takeSignInAddress } from '@/lib/auth/sign-in-address'
import { usePageRestored } from '@/lib/use-page-restored'
import { type AppRequest, readAppRequest, withError } from './app-request'
import { AppNotified } from './app-notified'
import { leaveTo } from '@/lib/leave'
import { rememberApp } from './pending-app'

const FAILED = 'Authentication failed'

type Refusal = 'incomplete' | 'invalid'

const refusals: Record<Refusal, string> = {
  incomplete: 'This sign-in link is incomplete. Go back to the app on your Mac and start again.',
  invalid: 'This sign-in link does not lead back to the app. Go back to your Mac and start again.',
}

function isProvider(value: string | undefined): value is Provider {
  return value === 'google' || value === 'apple'
}

/** How the start ends: at the provider, at the app with what went wrong, or here with the reason. */
type Next =
  | { kind: 'provider'; url: string; app: AppRequest }
  | { kind: 'app'; url: string }
  | { kind: 'refused'; refusal: Refusal }

async function begin(query: URLSearchParams): Promise<Next> {
  if (!query.get('provider') || !query.get('callback')) {
    console.error('Sign-in needs the parameters provider and callback')
    return { kind: 'refused', refusal: 'incomplete' }
  }
  const app = readAppRequest(query)
  if (!app || app === 'invalid') {
    console.error('Sign-in was refused: the callback is not a link of the app')
    return { kind: 'refused', refusal: 'invalid' }
  }
  return start(query.getAll('provider'), app)
}

async function start([provider, ...others]: string[], app: AppRequest): Promise<Next> {
  const fail = (error: string): Next => ({ kind: 'app', url: withError(app, { error }) })
  if (!isProvider(provider) || others.length > 0) return fail(FAILED)
  try {
    const url = await startSignIn(provider, { return_to: returnToApp(app) })
    rememberApp(app)
    return { kind: 'provider', url, app }
  } catch (problem) {
    return fail((isProblem(problem) && problem.kind === 'answer' && problem.text) || FAILED)
  }
}

/** /auth: where the desktop app sends the browser to sign in. */
export function SignInStarter() {
  const started = useRef(false)
  const [next, setNext] = useState<Next | null>(null)
  const [restored, setRestored] = useState(false)

  useEffect(() => {
    // Once per page load, also when React remounts: a second start would make the first one fail.
    if (started.current) return
    started.current = true
    void begin(takeSignInAddress().searchParams).then((decided) => {
      setNext(decided)
      if (decided.kind !== 'refused') leaveTo(decided.url)
    })
  }, [])

  // A person who comes back from the provider is asked before the sign-in starts again.
  usePageRestored(useCallback(() => setRestored(true), []))

  if (next?.kind === 'refused') return <Refused refusal={next.refusal} />
  if (next?.kind === 'app') return <AppNotified url={next.url} />
  if (next && restored) return <Again app={next.app} />
  return <WaitingScreen text="Redirecting to authentication..." />
}

function Again({ app }: { app: AppRequest }) {
  return (
    <NoticeScreen title="Sign in" text="Choose how you want to sign in." announce>
      <ProviderButtons start={{ return_to: returnToApp(app) }} />
    </NoticeScreen>
  )
}

function Refused({ refusal }: { refusal: Refusal }) {
  return (
    <NoticeScreen title="Sign-in can't start here" text={refusals[refusal]}>
      <a
        href={paths.home}
        className={`${button.secondary} ${button.raised}`}
        data-event="return_home"
      >
        Return to Home
      </a>
    </NoticeScreen>
  )
}
