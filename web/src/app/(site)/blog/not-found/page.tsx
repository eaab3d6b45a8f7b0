import type { Metadata } from 'next'
import { ArticleNotFound } from '@/features/blog/article-not-found'

export const metadata: Metadata = { title: 'Article Not Found', robots: { index: false } }

export default function ArticleNotFoundPage() {
  return <ArticleNotFound />
}
