import { listArticles } from '@/lib/content/articles'
import { renderFeed } from '@/lib/content/feed'

export const dynamic = 'force-static'

export async function GET() {
  return new Response(renderFeed(await listArticles()), {
    headers: { 'Content-Type': 'application/rss+xml; charset=utf-8' },
  })
}
