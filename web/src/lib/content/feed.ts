import { paths } from '@/config/paths'
import { site } from '@/config/site'
import type { ArticleSummary } from './articles'

/** An article and its body as HTML that stands on its own. */
export interface FeedItem extends ArticleSummary {
  content: string
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escapeXml = (text: string) => text.replace(/[&<>"]/g, (character) => entities[character]!)
const cdata = (text: string) => `<![CDATA[${text.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`

function item({ slug, title, excerpt, author, date, tags, content }: FeedItem): string {
  const url = site.origin + paths.article(slug)
  return [
    '<item>',
    `<title>${escapeXml(title)}</title>`,
    `<link>${url}</link>`,
    `<guid>${url}</guid>`,
    `<dc:creator>${escapeXml(author)}</dc:creator>`,
    `<pubDate>${new Date(`${date}T12:00:00Z`).toUTCString()}</pubDate>`,
    `<description>${escapeXml(excerpt)}</description>`,
    ...tags.map((tag) => `<category>${escapeXml(tag)}</category>`),
    `<content:encoded>${cdata(content)}</content:encoded>`,
    '</item>',
  ].join('\n')
}

/** The blog as RSS 2.0 with full texts, in the order given. */
export function renderFeed(articles: readonly FeedItem[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel>
<title>${escapeXml(site.name)} Blog</title>
<link>${site.origin}${paths.blog}</link>
<description>Insights, tutorials, and trends in AI-powered iOS development</description>
<language>en</language>
<atom:link href="${site.origin}${paths.feed}" rel="self" type="application/rss+xml"/>
${articles.map(item).join('\n')}
</channel>
</rss>
`
}
