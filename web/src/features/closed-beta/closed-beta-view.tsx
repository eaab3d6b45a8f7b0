'use client'

import dynamic from 'next/dynamic'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { useAuth } from '@/features/session/use-auth'
import { expectSignedIn } from '@/lib/expect-signed-in'
import { useBetaAccess } from './use-beta-access'

const loading = () => <WaitingScreen text="Checking access..." fill="calc(100dvh - 5rem)" />

// Each visit needs one of them, and knows which only after asking the server.
const SignedOut = dynamic(() => import('./signed-out').then((m) => m.SignedOut), { loading })
const loadWaiting = () => import('./waiting').then((m) => m.Waiting)
const Waiting = dynamic(loadWaiting, { loading })
const Approved = dynamic(() => import('./approved').then((m) => m.Approved), { loading })
const loadNotListed = () => import('./not-listed').then((m) => m.NotListed)
const NotListed = dynamic(loadNotListed, { loading })
// The small ones need not wait for the answer.
expectSignedIn(loadWaiting)
expectSignedIn(loadNotListed)

/** /closed-beta: one of five displays, by who is signed in and where they stand on the waitlist. */
export function ClosedBetaView() {
  const { status } = useAuth()
  return status === 'loading' ? loading() : <Known />
}

function Known() {
  const { access, refresh } = useBetaAccess()
  switch (access.name) {
    case 'loading':
      return loading()
    case 'signed-out':
      return <SignedOut />
    case 'waiting':
      return <Waiting status={access.status} />
    case 'approved':
      return <Approved />
    case 'not-listed':
      return <NotListed email={access.email} onJoined={refresh} />
  }
}
