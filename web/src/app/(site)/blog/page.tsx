import type { Metadata } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { Blog } from '@/features/blog/blog'
import { openGraph } from '@/lib/open-graph'

const description = 'Insights, tutorials, and trends in AI-powered iOS development'

export const metadata: Metadata = {
  title: 'Blog',
  description,
  alternates: { canonical: paths.blog, types: { 'application/rss+xml': paths.feed } },
  openGraph: openGraph({ title: `${site.name} Blog`, description, url: paths.blog }),
}

export default function BlogPage() {
  return <Blog />
}
