'use client'

import dynamic from 'next/dynamic'
import { WaitingScreen } from '@/components/app/waiting-screen'
import { useAuth } from '@/features/session/use-auth'
import { useGetIsAdminQuery } from '@/lib/api/identity-api'
import { expectSignedIn } from '@/lib/expect-signed-in'

const loading = () => <WaitingScreen text="Checking permissions..." fill="calc(100dvh - 5rem)" />

/**
 * Hardly anybody but admins comes here, so that the tools are on their way early. The page itself is
 * public: the API guards every byte of data.
 */
const loadDashboard = () => import('./dashboard').then((m) => m.Dashboard)
const Dashboard = dynamic(loadDashboard, { loading })
expectSignedIn(loadDashboard)
const AccessDenied = dynamic(() => import('./access-denied').then((m) => m.AccessDenied), {
  loading,
})

/** /admin: the tools for admins, 'Access Denied' for everybody else. A failed check denies. */
export function AdminView() {
  const { status } = useAuth()
  if (status === 'loading') return loading()
  return status === 'signed-in' ? <Checked /> : <AccessDenied signedOut />
}

function Checked() {
  const check = useGetIsAdminQuery(undefined, { refetchOnMountOrArgChange: true })
  if (check.isLoading) return loading()
  return check.currentData === true ? <Dashboard /> : <AccessDenied signedOut={false} />
}
