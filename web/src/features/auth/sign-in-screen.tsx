'use client'

import { useRouter } from 'next/navigation'
import { useCallback, useEffect, useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { NoticeScreen } from '@/components/app/notice-screen'
import { ProviderButtons } from '@/components/app/provider-buttons/provider-buttons'
import { UnreachableScreen } from '@/components/app/unreachable-screen'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { deletionNotice } from '@/features/session/deletion-notice'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { mayAnswerLater } from '@/lib/api/problem'
import { readSignInFlow } from '@/lib/api/sign-in-flow'
import { isRedirect, learnAppLinks } from '@/lib/auth/return-to'
import { leaveTo } from '@/lib/leave'
import { AppNotified } from './app-notified'
import { HomeLink } from './home-link'
import { markOpened, wasOpened } from './opened'
import { noteStart } from './pending-app'
import {
  deletionOffer,
  expiredNotice,
  refusedApp,
  type SignInNotice,
  signInNotice,
  signInOffer,
} from './sign-in-notice'
import { useRetrying } from './use-retrying'

interface FlowName {
  kind: 'login' | 'registration'
  id: string
}

/** The sign-in that the address names; without one, the page that signing in leads to. */
function readAddress(): FlowName | string {
  const query = new URLSearchParams(window.location.search)
  const id = query.get('flow')
  if (id) return { kind: query.get('kind') === 'registration' ? 'registration' : 'login', id }
  const redirect = query.get('redirect') ?? ''
  return isRedirect(redirect) ? redirect : paths.profile
}

/**
 * /signin: a sign-in that needs a decision, such as linking a second provider to an account. Opened
 * without one it offers to sign in, and leads whoever is signed in on to their profile, or to the page
 * that the address asks for. Whoever has just deleted their account reads here until when signing in brings it back.
 */
export function SignInScreen() {
  const [named, setNamed] = useState<FlowName | string>()
  // The exported page does not know its address.
  // eslint-disable-next-line react-hooks/set-state-in-effect -- the second rendering is the purpose
  useEffect(() => setNamed(readAddress()), [])

  if (named === undefined) return <Waiting />
  return typeof named === 'string' ? <OfferScreen page={named} /> : <FlowScreen {...named} />
}

function OfferScreen({ page }: { page: string }) {
  const { status } = useAuth()
  const router = useRouter()
  const [eraseAt] = useState(deletionNotice.get)
  useEffect(() => {
    if (status === 'signed-in') router.replace(page)
  }, [status, router, page])

  if (status === 'unreachable') return <Unreachable />
  if (status !== 'signed-out') return <Waiting />
  return eraseAt ? (
    <Notice announce {...deletionOffer(eraseAt)} />
  ) : (
    <Notice {...signInOffer(page)} />
  )
}

function FlowScreen({ kind, id }: FlowName) {
  const [notice, setNotice] = useState<SignInNotice | 'unreachable' | null>(null)
  const [told, setTold] = useState<string | null>(null)
  const left = useRef(false)

  const read = useCallback(() => {
    const reading = Promise.allSettled([readSignInFlow(kind, id), learnAppLinks()])
    return reading.then(([flow, links]) => {
      if (left.current) return
      // Where the sign-in leads is unknown without either.
      if (links.status === 'rejected') return setNotice('unreachable')
      if (flow.status === 'rejected')
        return setNotice(mayAnswerLater(flow.reason) ? 'unreachable' : expiredNotice())
      const app = refusedApp(flow.value)
      setNotice(signInNotice(flow.value))
      setTold(app)
      if (!app || wasOpened(new URLSearchParams(window.location.search))) return
      markOpened()
      leaveTo(app)
    })
  }, [kind, id])

  useEffect(() => {
    left.current = false
    void read()
    return () => {
      left.current = true
    }
  }, [read])

  const { retry, retrying } = useRetrying(read, notice === 'unreachable')

  if (notice === 'unreachable')
    return <UnreachableScreen retrying={retrying} onRetry={() => void retry()} />
  if (told) return <AppNotified url={told} />
  return notice ? <Notice {...notice} /> : <Waiting />
}

const Waiting = () => <WaitingScreen text="One moment..." />

function Notice(props: SignInNotice & { announce?: boolean }) {
  const { title, text, alert, announce, ...buttons } = props
  return (
    <NoticeScreen title={title} text={text} announce={announce}>
      {alert && <Alert problem="sign_in_refused">{alert}</Alert>}
      <ProviderButtons {...buttons} onStarted={noteStart} />
      <HomeLink quiet />
    </NoticeScreen>
  )
}
