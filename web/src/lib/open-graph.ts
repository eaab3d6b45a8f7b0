import type { Metadata } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'

interface Shared {
  title: string
  description: string
  /** The page's path; absent where many pages share the same. */
  url?: string
}

/** Name of the share image of every page that has none of its own. */
export const SITE_IMAGE = 'site'

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
    images: [shareImageOf(SITE_IMAGE, site.tagline)],
    ...page,
  }
}

/** What every page for visitors announces: the feed. Next does not merge this with a layout's, either. */
export const feed: NonNullable<Metadata['alternates']> = {
  types: { 'application/rss+xml': [{ url: paths.feed, title: `${site.name} Blog` }] },
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
    alternates: { canonical: path, ...feed },
    openGraph: openGraph({ title: `${title} · ${site.name}`, description, url: path }),
  }
}
