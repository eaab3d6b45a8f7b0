import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { PageViews } from '@/components/page-views'
import { site } from '@/config/site'
import { InlineScript } from '@/inline/inline-script'
import { deferFonts } from '@/inline/defer-fonts'
import { AppProviders } from './app-providers'

export const metadata: Metadata = { robots: { index: false } }

/** The pages that need a person or an action: they bring the store and the session. */
export default function AppLayout({ children }: { children: ReactNode }) {
  return (
    <>
      <InlineScript name="defer-fonts" run={deferFonts} />
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
