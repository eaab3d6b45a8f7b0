import type { MetadataRoute } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { listArticles } from '@/lib/content/articles'

export const dynamic = 'force-static'

export default async function sitemap(): Promise<MetadataRoute.Sitemap> {
  const articles = await listArticles()
  return [
    { url: `${site.origin}/`, priority: 1 },
    { url: site.origin + paths.blog },
    ...articles.map(({ slug, date }) => ({
      url: site.origin + paths.article(slug),
      lastModified: date,
    })),
    { url: site.origin + paths.terms },
    { url: site.origin + paths.privacy },
  ]
}
