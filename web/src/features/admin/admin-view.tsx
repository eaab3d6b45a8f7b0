'use client'

import { useEffect } from 'react'
import { lazyView } from '@/components/app/lazy-part'
import { PageNotLoaded } from '@/components/app/not-loaded'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { useGetStaffRoleQuery } from '@/lib/api/identity-api'
import { readSignedInHint } from '@/lib/hint-cookie'
import { restoreDeepLink } from './deep-link'

const loading = () => <WaitingScreen text="Checking permissions..." fill="calc(100dvh - 5rem)" />
const whole = { loading, failed: PageNotLoaded }

/** The page itself is public: the API guards every byte of data. */
const Dashboard = lazyView(() => import('./dashboard').then((m) => m.Dashboard), whole)
const AccessDenied = lazyView(() => import('./access-denied').then((m) => m.AccessDenied), whole)

/**
 * Prefetches the dashboard and its first area beside the session and the check, if somebody seems to be signed in:
 * whoever opens the page is hardly ever denied.
 */
function prefetch(): void {
  if (readSignedInHint(document.cookie) === null) return
  const asked = new URLSearchParams(window.location.search).has('tab')
  void import('./dashboard').then((m) => (asked ? undefined : m.loadOverview())).catch(() => {})
}

/** /admin: the tools for admins and moderators, 'Access Denied' for everybody else. A failed check denies. */
export function AdminView() {
  const { status, user } = useAuth()
  useEffect(prefetch, [])
  if (status === 'loading') return loading()
  if (status === 'unreachable') return <Unreachable within />
  // Somebody else, who signs in in another tab, finds nothing of what this person has begun.
  return user ? <Checked key={user.id} person={user.id} /> : <AccessDenied signedOut />
}

function Checked({ person }: { person: string }) {
  const check = useGetStaffRoleQuery(undefined, { refetchOnMountOrArgChange: true })
  useEffect(() => restoreDeepLink(person), [person])
  if (check.isLoading) return loading()
  return check.currentData ? (
    <Dashboard role={check.currentData} />
  ) : (
    <AccessDenied signedOut={false} />
  )
}
