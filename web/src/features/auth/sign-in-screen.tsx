'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { NoticeScreen } from '@/components/app/notice-screen'
import { ProviderButtons } from '@/components/app/provider-buttons/provider-buttons'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { deletionNotice } from '@/features/session/deletion-notice'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { readSignInFlow } from '@/lib/api/sign-in-flow'
import { isRedirect, learnAppLinks } from '@/lib/auth/return-to'
import { leaveTo } from '@/lib/leave'
import { AppNotified } from './app-notified'
import { HomeLink } from './home-link'
import { markOpened, wasOpened } from './opened'
import {
  deletionOffer,
  refusedApp,
  type SignInNotice,
  signInNotice,
  signInOffer,
  unreadableNotice,
} from './sign-in-notice'

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
  const [notice, setNotice] = useState<SignInNotice | null>(null)
  const [told, setTold] = useState<string | null>(null)

  useEffect(() => {
    let left = false
    const links = learnAppLinks().catch(() => {})
    Promise.all([readSignInFlow(kind, id), links]).then(
      ([flow]) => {
        if (left) return
        const app = refusedApp(flow)
        setNotice(signInNotice(flow))
        setTold(app)
        if (!app || wasOpened(new URLSearchParams(window.location.search))) return
        markOpened()
        leaveTo(app)
      },
      async (problem: unknown) => {
        await links
        if (!left) setNotice(unreadableNotice(problem))
      },
    )
    return () => {
      left = true
    }
  }, [kind, id])

  if (told) return <AppNotified url={told} />
  return notice ? <Notice {...notice} /> : <Waiting />
}

const Waiting = () => <WaitingScreen text="One moment..." />

function Notice(props: SignInNotice & { announce?: boolean }) {
  const { title, text, alert, announce, ...buttons } = props
  return (
    <NoticeScreen title={title} text={text} announce={announce}>
      {alert && <Alert problem="sign_in_refused">{alert}</Alert>}
      <ProviderButtons {...buttons} />
      <HomeLink quiet />
    </NoticeScreen>
  )
}
