import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { PageViews } from '@/components/page-views'
import { site } from '@/config/site'
import { AppProviders } from './app-providers'

export const metadata: Metadata = { robots: { index: false } }

/** The pages that need a person or an action: they bring the store and the session. */
export default function AppLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <noscript>
        <p className="outdated-notice">
          This page needs JavaScript. Please switch it on, or write to{' '}
          <a href={`mailto:${site.emails.support}`}>{site.emails.support}</a>.
        </p>
      </noscript>
      <AppProviders>
        {children}
        <PageViews />
      </AppProviders>
    </>
  )
}
