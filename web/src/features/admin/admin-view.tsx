'use client'

import dynamic from 'next/dynamic'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { useAuth } from '@/features/session/use-auth'
import { useGetIsAdminQuery } from '@/lib/api/identity-api'

const loading = () => <WaitingScreen text="Checking permissions..." fill="calc(100dvh - 5rem)" />

/** Only admins load the tools. The page itself is public: the API guards every byte of data. */
const Dashboard = dynamic(() => import('./dashboard').then((m) => m.Dashboard), { loading })
const AccessDenied = dynamic(() => import('./access-denied').then((m) => m.AccessDenied), {
  loading,
})

/** /admin: the tools for admins, 'Access Denied' for everybody else. A failed check denies. */
export function AdminView() {
  const { status } = useAuth()
  const check = useGetIsAdminQuery(undefined, {
    skip: status !== 'signed-in',
    refetchOnMountOrArgChange: true,
  })
  if (status === 'loading' || check.isLoading) return loading()
  if (status === 'signed-in' && check.currentData === true) return <Dashboard />
  return <AccessDenied signedOut={status === 'signed-out'} />
}
