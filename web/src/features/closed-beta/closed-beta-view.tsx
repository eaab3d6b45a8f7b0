'use client'

import { useState } from 'react'
import { lazyView } from '@/components/app/lazy-part'
import { PageNotLoaded } from '@/components/app/not-loaded'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { expectSignedIn } from '@/lib/expect-signed-in'
import { useBetaAccess } from './use-beta-access'

const loading = () => <WaitingScreen text="Checking access..." fill="calc(100dvh - 5rem)" />
const whole = { loading, failed: PageNotLoaded }

// Each visit needs one of them, and knows which only after asking the server.
const SignedOut = lazyView(() => import('./signed-out').then((m) => m.SignedOut), whole)
const loadWaiting = () => import('./waiting').then((m) => m.Waiting)
const Waiting = lazyView(loadWaiting, whole)
const Approved = lazyView(() => import('./approved').then((m) => m.Approved), whole)
const loadNotListed = () => import('./not-listed').then((m) => m.NotListed)
const NotListed = lazyView(loadNotListed, whole)
// The small ones need not wait for the answer.
expectSignedIn(loadWaiting)
expectSignedIn(loadNotListed)

/** /closed-beta: one of five displays, by who is signed in and where they stand on the waitlist. */
export function ClosedBetaView() {
  const { status, user } = useAuth()
  if (status === 'unreachable') return <Unreachable within />
  return status === 'loading' ? loading() : <Known key={user?.id} />
}

function Known() {
  const { access, refresh } = useBetaAccess()
  const [joined, setJoined] = useState<string>()
  const join = (message: string) => {
    setJoined(message)
    refresh()
  }
  switch (access.name) {
    case 'loading':
      return loading()
    case 'signed-out':
      return <SignedOut />
    case 'waiting':
      return <Waiting status={access.status} joined={joined} />
    case 'approved':
      return <Approved />
    case 'not-listed':
      return <NotListed email={access.email} onJoined={join} />
  }
}
