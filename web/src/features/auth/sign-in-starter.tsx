'use client'

import { useCallback, useEffect, useRef, useState } from 'react'
import { NoticeScreen } from '@/components/app/notice-screen'
import { ProviderButtons } from '@/components/app/provider-buttons/provider-buttons'
import { isProvider } from '@/components/app/provider-buttons/providers'
import { UnreachableScreen } from '@/components/app/unreachable-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { useSession } from '@/features/session/session-provider'
import { answerOf } from '@/lib/api/problem'
import { startSignIn } from '@/lib/api/sign-in'
import type { Provider, Session } from '@/lib/api/types'
import { learnAppLink, returnToApp } from '@/lib/auth/return-to'
import { takeSignInAddress } from '@/lib/auth/sign-in-address'
import { signInObstacle } from '@/lib/in-app-browser'
import { usePageRestored } from '@/lib/use-page-restored'
import { type AppRequest, readAppRequest, withError } from './app-request'
import { AppNotified } from './app-notified'
import { leaveTo } from '@/lib/leave'
import { HomeLink } from './home-link'
import { fromOAuth, isOAuth, malformed, oauthError } from './oauth-request'
import { markOpened, wasOpened } from './opened'
import { deviceOf, leadsBack, noteStart, type PendingSignIn, rememberApp } from './pending-app'
import { useRetrying } from './use-retrying'

const FAILED = 'Authentication failed'

type Refusal = 'incomplete' | 'invalid'

const refusals: Record<Refusal, string> = {
  incomplete: 'This sign-in link is incomplete. Go back to the app on your Mac and start again.',
  invalid: 'This sign-in link does not lead back to the app. Go back to your Mac and start again.',
}

/**
 * How the start ends: at the provider, with a choice of providers, at the app with what went wrong, or here with the
 * reason, which may be that the server does not say whether the app's link is one.
 */
type Next =
  | { kind: 'provider'; url: string; app: AppRequest }
  | { kind: 'choice'; app: AppRequest }
  | { kind: 'app'; url: string }
  | { kind: 'refused'; refusal: Refusal }
  | { kind: 'unreachable' }

/** Who is signed in here, or 'unknown' when the server does not say. */
type ReadSession = () => Promise<Session | null | 'unknown'>

async function begin(query: URLSearchParams, read: ReadSession): Promise<Next> {
  const oauth = isOAuth(query)
  const request = oauth ? fromOAuth(query) : query
  const callback = request.get('callback')
  if (!callback || (!oauth && !query.get('provider'))) {
    console.error('Sign-in needs the parameters provider and callback')
    return { kind: 'refused', refusal: 'incomplete' }
  }
  try {
    await learnAppLink(callback)
  } catch {
    return { kind: 'unreachable' }
  }
  const app = readAppRequest(request)
  if (!app || app === 'invalid') {
    const url = oauth ? malformed(request) : null
    if (url !== null) return { kind: 'app', url }
    console.error('Sign-in was refused: the callback is not a link of the app')
    return { kind: 'refused', refusal: 'invalid' }
  }
  const error = oauth ? oauthError(query, app) : null
  if (error) return { kind: 'app', url: withError(app, error) }
  if (oauth && !query.has('provider')) return choose(app, await read())
  return start(query.getAll('provider'), app, read, oauth)
}

/** A library names no provider: who is signed in is asked for consent, everybody else chooses. */
function choose(app: AppRequest, session: Awaited<ReturnType<ReadSession>>): Next {
  const signedIn = session !== null && session !== 'unknown'
  rememberApp(app, signedIn ? undefined : deviceBefore(session))
  return signedIn ? { kind: 'provider', url: returnToApp(app), app } : { kind: 'choice', app }
}

async function start(
  [provider, ...others]: string[],
  app: AppRequest,
  read: ReadSession,
  oauth: boolean,
): Promise<Next> {
  const fail = (text: string, code: string): Next => {
    const error = oauth ? { error: code, error_description: text } : { error: text }
    return { kind: 'app', url: withError(app, error) }
  }
  if (!isProvider(provider) || others.length > 0) return fail(FAILED, 'invalid_request')
  try {
    const session = await read()
    if (signInObstacle()) {
      rememberApp(app, deviceBefore(session))
      return { kind: 'choice', app } // whose buttons come with what to do
    }
    const refresh = session !== 'unknown' && signedInWithAnother(session, provider)
    const url = await startSignIn(provider, { return_to: returnToApp(app) }, { refresh })
    rememberApp(app, leadsBack(url) ? undefined : deviceBefore(session))
    return { kind: 'provider', url, app }
  } catch (problem) {
    return fail(answerOf(problem)?.text ?? FAILED, 'server_error')
  }
}

/** A browser that is signed in comes straight back, so the app's choice of a provider would count for nothing. */
function signedInWithAnother(session: Session | null, provider: Provider): boolean {
  return session !== null && session.user.app_metadata.provider !== provider
}

function deviceBefore(session: Awaited<ReturnType<ReadSession>>): PendingSignIn['before'] {
  if (session === 'unknown') return undefined
  return session && deviceOf(session)
}

/** /auth: where the desktop app sends the browser to sign in. */
export function SignInStarter() {
  const session = useSession()
  const query = useRef<URLSearchParams>(null)
  const [next, setNext] = useState<Next | null>(null)
  const [restored, setRestored] = useState(false)

  const go = useCallback(async () => {
    query.current ??= takeSignInAddress().searchParams
    const read = async () => session.current().catch(() => 'unknown' as const)
    const decided = await begin(query.current, read)
    setNext(decided)
    if (decided.kind === 'app') {
      if (wasOpened(query.current)) return
      markOpened()
    }
    if ('url' in decided) leaveTo(decided.url)
  }, [session])

  useEffect(() => {
    // Once per page load, also when React remounts: a second start would make the first one fail.
    if (!query.current) void go()
  }, [go])

  const { retry, retrying } = useRetrying(go, next?.kind === 'unreachable')

  // A person who comes back from the provider is asked before the sign-in starts again.
  usePageRestored(useCallback(() => setRestored(true), []))

  if (next?.kind === 'unreachable')
    return <UnreachableScreen retrying={retrying} onRetry={() => void retry()} />
  if (next?.kind === 'refused') return <Refused refusal={next.refusal} />
  if (next?.kind === 'app') return <AppNotified url={next.url} />
  if (next && (restored || next.kind === 'choice')) return <Choice app={next.app} />
  return <WaitingScreen text="Redirecting to authentication..." />
}

function Choice({ app }: { app: AppRequest }) {
  return (
    <NoticeScreen title="Sign in" text="Choose how you want to sign in." announce>
      <ProviderButtons start={{ return_to: returnToApp(app) }} onStarted={noteStart} />
    </NoticeScreen>
  )
}

function Refused({ refusal }: { refusal: Refusal }) {
  return (
    <NoticeScreen title="Sign-in can't start here" text={refusals[refusal]}>
      <HomeLink />
    </NoticeScreen>
  )
}
