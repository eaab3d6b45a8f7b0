'use client'

import { useEffect } from 'react'
import { PartBoundary } from '@/components/app/part-boundary'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { Unreachable } from '@/features/session/unreachable'
import { useAuth } from '@/features/session/use-auth'
import { useGetStaffRoleQuery } from '@/lib/api/staff-role-api'
import { AccessDenied } from './access-denied'
import { Dashboard } from './dashboard'
import { restoreDeepLink } from './deep-link'

const loading = <WaitingScreen text="Checking permissions..." fill="calc(100dvh - 5rem)" />

/**
 * /admin: the tools for admins and moderators, 'Access Denied' for everybody else. A failed check denies. The page itself
 * is public, with the code of the first area: the API guards every byte of data, and whoever opens it is hardly ever denied.
 */
export function AdminView() {
  const { status, user } = useAuth()
  if (status === 'loading') return loading
  if (status === 'unreachable') return <Unreachable within />
  // Somebody else, who signs in in another tab, finds nothing of what this person has begun.
  return user ? <Checked key={user.id} person={user.id} /> : <AccessDenied signedOut />
}

function Checked({ person }: { person: string }) {
  const check = useGetStaffRoleQuery(undefined, { refetchOnMountOrArgChange: true })
  useEffect(() => restoreDeepLink(person), [person])
  if (check.isLoading) return loading
  return check.currentData ? (
    <PartBoundary>
      <Dashboard role={check.currentData} />
    </PartBoundary>
  ) : (
    <AccessDenied signedOut={false} />
  )
}
