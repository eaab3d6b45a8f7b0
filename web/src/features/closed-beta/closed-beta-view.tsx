'use client'

import dynamic from 'next/dynamic'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { useBetaAccess } from './use-beta-access'

const loading = () => <WaitingScreen text="Checking access..." fill="calc(100dvh - 5rem)" />

// Each visit needs one of them, and knows which only after asking the server.
const SignedOut = dynamic(() => import('./signed-out').then((m) => m.SignedOut), { loading })
const Waiting = dynamic(() => import('./waiting').then((m) => m.Waiting), { loading })
const Approved = dynamic(() => import('./approved').then((m) => m.Approved), { loading })
const NotListed = dynamic(() => import('./not-listed').then((m) => m.NotListed), { loading })

/** /closed-beta: one of five displays, by who is signed in and where they stand on the waitlist. */
export function ClosedBetaView() {
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
