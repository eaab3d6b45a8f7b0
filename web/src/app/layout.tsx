import type { Metadata, Viewport } from 'next'
import type { ReactNode } from 'react'
import { PageBody } from '@/components/page-body'
import { paths } from '@/config/paths'
import { brandColors } from '@/config/tokens'
import { site, SITE_ELEMENT } from '@/config/site'
import { InlineScript } from '@/inline/inline-script'
import { retryScripts } from '@/inline/retry-scripts'
import { openGraph } from '@/lib/open-graph'
import { bricolage, jetbrains } from './fonts'
import '@/styles/tokens.css'
import '@/styles/fallback-fonts.css'
import '@/styles/base.css'
import '@/styles/consent.css'

export const metadata: Metadata = {
  metadataBase: new URL(site.origin),
  title: { default: `${site.name}: ${site.tagline}`, template: `%s · ${site.name}` },
  description: site.description,
  applicationName: site.name,
  openGraph: openGraph({
    title: `${site.name}: ${site.tagline}`,
    description: site.description,
  }),
  twitter: { card: 'summary_large_image' },
  icons: {
    icon: [
      { url: '/favicon.ico', sizes: '32x32' },
      { url: '/icon.svg', type: 'image/svg+xml' },
    ],
    apple: '/apple-touch-icon.png',
  },
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: brandColors.paper },
    { media: '(prefers-color-scheme: dark)', color: brandColors.paperDark },
  ],
}

const values = JSON.stringify({ name: site.name, origin: site.origin, emails: site.emails })

/** What every page shares: fonts, tokens, and the values of the installation. */
export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html
      lang="en"
      className={`${bricolage.variable} ${jetbrains.variable}`}
      // defer-fonts.ts sets an attribute before it is hydrated.
      suppressHydrationWarning
    >
      <head>
        {/* Not of the metadata: a page's own would take its place. */}
        <link
          rel="alternate"
          type="application/rss+xml"
          title={`${site.name} Blog`}
          href={paths.feed}
        />
        <script
          type="application/json"
          id={SITE_ELEMENT}
          dangerouslySetInnerHTML={{ __html: values }}
        />
        <InlineScript name="retry-scripts" run={retryScripts} />
      </head>
      <body>
        <PageBody>{children}</PageBody>
      </body>
    </html>
  )
}
