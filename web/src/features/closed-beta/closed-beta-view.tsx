'use client'

import { useCallback, useEffect, useState } from 'react'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { Approved } from './approved'
import { Invitation } from './invitation'
import { NotListed } from './not-listed'
import { SignedOut } from './signed-out'
import { useBetaAccess } from './use-beta-access'
import { useClaim } from './use-claim'
import { Waiting } from './waiting'

const loading = <WaitingScreen text="Checking access..." fill="calc(100dvh - 5rem)" />

/**
 * /closed-beta: one of five displays, by who is signed in and where they stand on the waitlist. Whoever comes by the
 * link of an invitation, with an account that has no access, is asked first whether it is for that account.
 */
export function ClosedBetaView() {
  const { status, user } = useAuth()
  // Whoever signs out here to use another address is offered to sign in at once.
  const [signInAgain, setSignInAgain] = useState(false)
  const { claim, dropClaim } = useClaim()
  if (status === 'unreachable') return <Unreachable within />
  if (status === 'loading') return loading
  return (
    <Person
      key={user?.id}
      signInAgain={signInAgain}
      claim={claim}
      dropClaim={dropClaim}
      onLeave={() => setSignInAgain(true)}
    />
  )
}

interface PersonProps {
  signInAgain: boolean
  claim: string | null
  dropClaim: () => void
  onLeave: () => void
}

function Person({ signInAgain, claim, dropClaim, onLeave }: PersonProps) {
  const { access, refresh } = useBetaAccess()
  const [joined, setJoined] = useState<string>()
  const join = (message: string) => {
    setJoined(message)
    refresh()
  }
  const [refusal, setRefusal] = useState<string>()
  const refuse = useCallback(
    (why: string) => {
      setRefusal(why)
      dropClaim()
    },
    [dropClaim],
  )
  const approved = access.name === 'approved'
  useEffect(() => {
    if (approved) dropClaim()
  }, [approved, dropClaim])

  if (claim !== null && (access.name === 'waiting' || access.name === 'not-listed')) {
    const { email } = access
    const question = { claim, email, onRefused: refuse, onNotNow: dropClaim, onLeave }
    return <Invitation key={claim} {...question} />
  }
  switch (access.name) {
    case 'loading':
      return loading
    case 'signed-out':
      return <SignedOut asking={signInAgain} invited={claim !== null} />
    case 'waiting':
      return (
        <Waiting
          status={access.status}
          email={access.email}
          joined={joined}
          refusal={refusal}
          onLeave={onLeave}
        />
      )
    case 'approved':
      return <Approved />
    case 'not-listed':
      return (
        <NotListed
          access={access}
          refusal={refusal}
          onRetry={refresh}
          onJoined={join}
          onLeave={onLeave}
        />
      )
  }
}
