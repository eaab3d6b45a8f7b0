import type { ReactNode } from 'react'
import { AppFooter } from '@/components/app/app-footer'
import { AppHeader } from '@/components/app/app-header'
import { ToastRegion } from '@/components/app/toast-region'
import { SupportButton } from '@/features/support/support-button'
import { SupportAccountMenu } from '@/features/support/support-account-menu'
import { SupportProvider } from '@/features/support/support-provider'
import { InlineScript } from '@/inline/inline-script'
import { preloadSession } from '@/inline/preload-session'

/** The pages with a header of their own person: profile, closed beta, admin. */
export default function ShellLayout({ children }: { children: ReactNode }) {
  return (
    <SupportProvider>
      <InlineScript name="preload-session" run={preloadSession} />
      <AppHeader account={<SupportAccountMenu />} />
      {children}
      <AppFooter support={<SupportButton />} />
      <ToastRegion />
    </SupportProvider>
  )
}
