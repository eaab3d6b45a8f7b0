import type { Metadata, Viewport } from 'next'
import type { ReactNode } from 'react'
import { PageBody } from '@/components/page-body'
import { brandColors } from '@/config/tokens'
import { site } from '@/config/site'
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
  openGraph: {
    type: 'website',
    siteName: site.name,
    title: `${site.name}: ${site.tagline}`,
    description: site.description,
    images: [{ url: '/og/fledge.png', width: 1200, height: 630, alt: site.tagline }],
  },
  twitter: { card: 'summary_large_image' },
}

export const viewport: Viewport = {
  themeColor: [
    { media: '(prefers-color-scheme: light)', color: brandColors.paper },
    { media: '(prefers-color-scheme: dark)', color: brandColors.paperDark },
  ],
}

/** What every page shares: fonts and tokens. Run-times belong to the route groups. */
export default function RootLayout({ children }: { children: ReactNode }) {
  return (
    <html lang="en" className={`${bricolage.variable} ${jetbrains.variable}`}>
      <body>
        <PageBody>{children}</PageBody>
      </body>
    </html>
  )
}
