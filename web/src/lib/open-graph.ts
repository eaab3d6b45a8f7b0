import type { Metadata } from 'next'
import { site } from '@/config/site'

interface Shared {
  title: string
  description: string
  /** The page's path; absent where many pages share the same. */
  url?: string
}

/** What a page of the site shows where it is shared. Next does not merge this with a layout's. */
export function openGraph(page: Shared): Metadata['openGraph'] {
  return {
    type: 'website',
    siteName: site.name,
    images: [{ url: '/og/fledge.png', width: 1200, height: 630, alt: site.tagline }],
    ...page,
  }
}
