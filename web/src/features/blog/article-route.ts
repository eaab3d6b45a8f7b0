import type { Metadata } from 'next'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { listArticles, readArticle } from '@/lib/content/articles'
import { pageMetadata, shareImageOf } from '@/lib/open-graph'

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
  const article = await readArticle((await params).slug)
  const { slug, title, excerpt, author, date, updated = date, tags } = article
  const path = paths.article(slug)
  return {
    ...pageMetadata({ title, description: excerpt, path }),
    authors: [{ name: author }],
    openGraph: {
      type: 'article',
      siteName: site.name,
      url: path,
      title,
      description: excerpt,
      authors: [author],
      publishedTime: date,
      modifiedTime: updated,
      tags,
      images: [shareImageOf(slug, title)],
    },
  }
}
