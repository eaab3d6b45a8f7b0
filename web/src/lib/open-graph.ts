import type { Metadata } from 'next'
import { site } from '@/config/site'

interface Shared {
  title: string
  description: string
  /** The page's path; absent where many pages share the same. */
  url?: string
}

/** Name of the share image of every page that has none of its own. */
export const SITE_IMAGE = 'site'

/** What that image says. */
export const SITE_IMAGE_TEXT = 'One sentence grows into a real iPhone app.'

/** The path of the share image called `name`: SITE_IMAGE, or an article's slug. */
export const shareImagePath = (name: string) => `/og/${name}.png`

/** A share image for Open Graph; `alt` is what it says. */
export const shareImageOf = (name: string, alt: string) => ({
  url: shareImagePath(name),
  width: 1200,
  height: 630,
  alt,
})

/** What a page of the site shows where it is shared. Next does not merge this with a layout's. */
export function openGraph(page: Shared): Metadata['openGraph'] {
  return {
    type: 'website',
    siteName: site.name,
    images: [shareImageOf(SITE_IMAGE, SITE_IMAGE_TEXT)],
    ...page,
  }
}

interface Page {
  /** Without the product's name, which is added to it. */
  title: string
  description: string
  path: string
}

/** The metadata of a page for visitors. */
export function pageMetadata({ title, description, path }: Page): Metadata {
  return {
    title,
    description,
    alternates: { canonical: path },
    openGraph: openGraph({ title: `${title} · ${site.name}`, description, url: path }),
  }
}
