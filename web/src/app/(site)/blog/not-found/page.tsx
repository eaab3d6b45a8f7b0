import type { Metadata } from 'next'
import { ArticleNotFound } from '@/features/blog/article-not-found'
import { feed } from '@/lib/open-graph'

export const metadata: Metadata = {
  title: 'Article Not Found',
  robots: { index: false },
  alternates: feed,
}

export default function ArticleNotFoundPage() {
  return <ArticleNotFound />
}
