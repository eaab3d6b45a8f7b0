import type { ReactNode } from 'react'
import { AppFooter } from '@/components/app/app-footer'
import { AppHeader } from '@/components/app/app-header'
import { ToastRegion } from '@/components/app/toast-region'
import { AccountMenu } from '@/features/session/account-menu'
import { SupportButton } from '@/features/support/support-button'
import { SupportMenuItem } from '@/features/support/support-menu-item'
import { SupportProvider } from '@/features/support/support-provider'

/** The pages with a header of their own person: profile, closed beta, admin. */
export default function ShellLayout({ children }: { children: ReactNode }) {
  return (
    <SupportProvider>
      <AppHeader account={<AccountMenu items={<SupportMenuItem />} />} />
      {children}
      <AppFooter support={<SupportButton />} />
      <ToastRegion />
    </SupportProvider>
  )
}
