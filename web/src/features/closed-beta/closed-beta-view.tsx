'use client'

import { useState } from 'react'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { Approved } from './approved'
import { NotListed } from './not-listed'
import { SignedOut } from './signed-out'
import { useBetaAccess } from './use-beta-access'
import { Waiting } from './waiting'

const loading = <WaitingScreen text="Checking access..." fill="calc(100dvh - 5rem)" />

/** /closed-beta: one of five displays, by who is signed in and where they stand on the waitlist. */
export function ClosedBetaView() {
  const { status, user } = useAuth()
  // Whoever signs out here to use another address is offered to sign in at once.
  const [signInAgain, setSignInAgain] = useState(false)
  if (status === 'unreachable') return <Unreachable within />
  if (status === 'loading') return loading
  return <SignedIn key={user?.id} signInAgain={signInAgain} onLeave={() => setSignInAgain(true)} />
}

interface SignedInProps {
  signInAgain: boolean
  onLeave: () => void
}

function SignedIn({ signInAgain, onLeave }: SignedInProps) {
  const { access, refresh } = useBetaAccess()
  const [joined, setJoined] = useState<string>()
  const join = (message: string) => {
    setJoined(message)
    refresh()
  }
  switch (access.name) {
    case 'loading':
      return loading
    case 'signed-out':
      return <SignedOut asking={signInAgain} />
    case 'waiting':
      return <Waiting status={access.status} email={access.email} joined={joined} />
    case 'approved':
      return <Approved />
    case 'not-listed':
      return <NotListed access={access} onRetry={refresh} onJoined={join} onLeave={onLeave} />
  }
}
