import { paths } from '@/config/paths'
import { site } from '@/config/site'
import type { ArticleSummary } from './articles'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character]!)

function item({ slug, title, excerpt, date, tags }: ArticleSummary): string {
  const url = site.origin + paths.article(slug)
  return [
    '<item>',
    `<title>${escapeXml(title)}</title>`,
    `<link>${url}</link>`,
    `<guid>${url}</guid>`,
    `<pubDate>${new Date(`${date}T12:00:00Z`).toUTCString()}</pubDate>`,
    `<description>${escapeXml(excerpt)}</description>`,
    ...tags.map((tag) => `<category>${escapeXml(tag)}</category>`),
    '</item>',
  ].join('\n')
}

/** The blog as RSS 2.0, in the order given. */
export function renderFeed(articles: readonly ArticleSummary[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${site.name} Blog</title>
<link>${site.origin}${paths.blog}</link>
<description>Insights, tutorials, and trends in AI-powered iOS development</description>
<language>en</language>
<atom:link href="${site.origin}${paths.feed}" rel="self" type="application/rss+xml"/>
${articles.map(item).join('\n')}
</channel>
</rss>
`
}
