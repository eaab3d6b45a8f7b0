import type { ReactNode } from 'react'
import { AppHeader } from '@/components/app/app-header'
import { ToastRegion } from '@/components/app/toast-region'
import { AccountMenu } from '@/features/session/account-menu'

/** The pages with a header of their own person: profile, closed beta, admin. */
export default function ShellLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <AppHeader account={<AccountMenu />} />
      {children}
      <ToastRegion />
    </>
  )
}
