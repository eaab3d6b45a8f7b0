import type { MetadataRoute } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { listArticles } from '@/lib/content/articles'

export const dynamic = 'force-static'

/** Says when a page last changed only where the site knows: the landing page and the legal texts have no date. */
export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const articles = (await listArticles()).map(({ slug, date, updated = date }) => ({
    url: site.origin + paths.article(slug),
    lastModified: updated,
  }))
  const changes = articles.map(({ lastModified }) => lastModified).sort()
  return [
    { url: site.origin + paths.home, priority: 1 },
    { url: site.origin + paths.blog, lastModified: changes.at(-1) },
    ...articles,
    { url: site.origin + paths.terms },
    { url: site.origin + paths.privacy },
  ]
}
