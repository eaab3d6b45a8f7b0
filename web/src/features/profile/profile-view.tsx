'use client'

import { useRouter } from 'next/navigation'
import { type ReactNode, useCallback, useDeferredValue, useEffect } from 'react'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { paths } from '@/config/paths'
import { deletionNotice } from '@/features/session/deletion-notice'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { useSignedOut } from '@/features/session/use-signed-out'
import { signInAt } from '@/lib/auth/return-to'
import { formatBillingDay } from '@/lib/dates'
import { whenIdle } from '@/lib/when-idle'
import { wantedPart } from './arrival'
import { ProfileContent } from './profile-content'

/** Where a page that nobody is signed in at leads: home, unless signing in is what comes next. */
function wayOut(): string {
  if (deletionNotice.get()) return paths.signIn
  const wanted = wantedPart(window.location)
  return wanted ? signInAt(wanted) : paths.home
}

/** /profile: whoever is signed in; everybody else goes home. `children` are further cards. */
export function ProfileView({ children }: { children?: ReactNode }) {
  const { status, user } = useAuth()
  // The cards are rendered in short tasks; they leave at once.
  const rendering = !useDeferredValue(user !== null)
  const router = useRouter()
  // A browser's first date takes a phone 50 ms: that of the plan card is not to be it.
  useEffect(() => whenIdle(() => formatBillingDay(new Date().toISOString())), [])
  useSignedOut(useCallback(() => router.replace(wayOut()), [router]))

  if (status === 'unreachable') return <Unreachable within />
  if (!user || rendering) return <WaitingScreen text="Loading..." fill="calc(100dvh - 5rem)" />
  return (
    // Somebody else, who signs in in another tab, finds nothing of what this person has begun.
    <ProfileContent key={user.id} email={user.email}>
      {children}
    </ProfileContent>
  )
}
