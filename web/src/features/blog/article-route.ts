import type { Metadata } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { listArticles, readArticle } from '@/lib/content/articles'

/** The slugs to export. */
export async function articleParams() {
  return (await listArticles()).map(({ slug }) => ({ slug }))
}

/** Title, description and share card of an article. */
export async function articleMetadata({
  params,
}: {
  params: Promise<{ slug: string }>
}): Promise<Metadata> {
  const { slug, title, excerpt, date, tags } = await readArticle((await params).slug)
  const images = [{ url: `/og/${slug}.png`, width: 1200, height: 630, alt: title }]
  return {
    title,
    description: excerpt,
    alternates: { canonical: paths.article(slug) },
    openGraph: {
      type: 'article',
      siteName: site.name,
      url: paths.article(slug),
      title,
      description: excerpt,
      publishedTime: date,
      tags,
      images,
    },
    twitter: { card: 'summary_large_image', images },
  }
}
