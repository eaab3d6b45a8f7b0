'use client'

import { lazyPart } from '@/components/app/lazy-part'
import { PageFrame } from '@/components/app/page-frame'
import type { StaffRole } from '@/lib/api/staff-role-api'
import styles from './dashboard.module.css'
import { LinkedTabs, type LinkedTab } from './linked-tabs'
import { OverviewView } from './overview/overview-view'
import { SignInAgain } from './sign-in-again/sign-in-again'
import { StaffRoleProvider } from './staff-role'
import { useWaitingTitle } from './use-waiting-title'

const loading = (text: string) => (
  <p role="status" className={styles.loading}>
    {text}
  </p>
)

/** Each area but the first is lazy-loaded when it is opened, together with Chakra. */
const tabs: LinkedTab[] = [
  {
    value: 'overview',
    label: 'Overview',
    View: OverviewView,
  },
  {
    value: 'tickets',
    label: 'Support Tickets',
    View: lazyPart(() => import('./tickets/tickets-view').then((m) => m.TicketsView), {
      loading: () => loading('Loading tickets...'),
    }),
  },
  {
    value: 'users',
    label: 'User Management',
    View: lazyPart(() => import('./user-management').then((m) => m.UserManagement), {
      loading: () => loading('Loading users...'),
    }),
  },
  {
    value: 'updates',
    label: 'Updates',
    View: lazyPart(() => import('./updates/updates-view').then((m) => m.UpdatesView), {
      loading: () => loading('Loading releases...'),
    }),
  },
  {
    value: 'billing',
    label: 'Billing',
    View: lazyPart(() => import('./billing/billing-view').then((m) => m.BillingView), {
      loading: () => loading('Loading billing...'),
    }),
  },
  {
    value: 'audit',
    label: 'Audit Log',
    View: lazyPart(() => import('./audit/audit-view').then((m) => m.AuditView), {
      loading: () => loading('Loading the audit log...'),
    }),
  },
]

/** The areas of which a moderator may see something. */
const forModerators = tabs.filter(({ value }) => value === 'tickets' || value === 'users')

/** The staff tools, a tab for each area that the role opens. */
export function Dashboard({ role }: { role: StaffRole }) {
  useWaitingTitle()
  return (
    <PageFrame>
      <div className={styles.head}>
        <h1 className={styles.title}>Admin Dashboard</h1>
        {/* Fits in one line also in the fallback font, before the web font has loaded. */}
        <p className={styles.lead}>Manage support tickets and customer inquiries</p>
      </div>
      <StaffRoleProvider value={role}>
        <LinkedTabs
          param="tab"
          label="Admin areas"
          tabs={role === 'admin' ? tabs : forModerators}
        />
      </StaffRoleProvider>
      <SignInAgain />
    </PageFrame>
  )
}
