'use client'

import { SiteFooter } from '@/components/site-footer/site-footer'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Approved } from './approved'
import { NotListed } from './not-listed'
import { SignedOut } from './signed-out'
import { useBetaAccess } from './use-beta-access'
import { Waiting } from './waiting'

/** /closed-beta: one of five displays, by who is signed in and where they stand on the waitlist. */
export function ClosedBetaView() {
  const { access, refresh } = useBetaAccess()
  switch (access.name) {
    case 'loading':
      return <WaitingScreen text="Checking access..." fill="calc(100dvh - 5rem)" />
    case 'signed-out':
      return (
        <>
          <SignedOut />
          <SiteFooter />
        </>
      )
    case 'waiting':
      return <Waiting status={access.status} />
    case 'approved':
      return <Approved />
    case 'not-listed':
      return <NotListed email={access.email} onJoined={refresh} />
  }
}
