/** The product's name and addresses: a rename is one edit here (and one in services/platform/brand). */
export const site = {
  name: 'Fledge',
  /** Scheme of the desktop app's links, without the colon. */
  scheme: 'fledge',
  tagline: 'Say it. Ship it. In Swift.',
  description:
    'Describe an app in plain words. Fledge writes native Swift and SwiftUI that you own, and builds the screens while you watch.',
  /** Origin of canonical links and share images: scheme, host and port, no trailing slash. */
  origin: process.env.NEXT_PUBLIC_SITE_ORIGIN ?? 'http://localhost:8080',
  emails: {
    support: 'support@fledge.example',
    sales: 'sales@fledge.example',
    privacy: 'privacy@fledge.example',
  },
  minimumMacOS: '12.0',
} as const
