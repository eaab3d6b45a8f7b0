import type { Metadata } from 'next'
import { Blog } from '@/features/blog/blog'

export const metadata: Metadata = {
  title: 'Blog',
  description: 'Insights, tutorials, and trends in AI-powered iOS development',
  alternates: { canonical: '/blog', types: { 'application/rss+xml': '/feed.xml' } },
}

export default function BlogPage() {
  return <Blog />
}
