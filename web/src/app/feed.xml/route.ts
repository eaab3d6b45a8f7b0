import { listArticles, readForFeed } from '@/lib/content/articles'
import { renderFeed } from '@/lib/content/feed'

export const dynamic = 'force-static'

export async function GET() {
  const articles = await listArticles()
  const items = articles.map(async (article) => ({
    ...article,
    content: await readForFeed(article.slug),
  }))
  return new Response(renderFeed(await Promise.all(items)), {
    headers: { 'Content-Type': 'application/rss+xml; charset=utf-8' },
  })
}
