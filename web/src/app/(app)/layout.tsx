import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { PageViews } from '@/components/page-views'
import { AppProviders } from './app-providers'

export const metadata: Metadata = { robots: { index: false } }

/** The pages that need a person or an action: they bring the store and the session. */
export default function AppLayout({ children }: { children: ReactNode }) {
  return (
    <AppProviders>
      {children}
      <PageViews />
    </AppProviders>
  )
}
