import 'server-only'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { paths } from '@/config/paths'
import { site } from '@/config/site'
import { parseFrontMatter, type FrontMatter } from './front-matter'
import { renderForFeed, renderMarkdown, type Rendered } from './markdown'
import { readSource } from './source'

const directory = path.join(process.cwd(), 'content/blog')

/** What a list shows of an article. */
export interface ArticleSummary extends FrontMatter {
  slug: string
  author: string
  /** Such as '6 min read', worked out from the text. */
  readTime: string
}

export interface Article extends ArticleSummary, Rendered {}

/** Nobody signs an article alone. */
const AUTHOR = `${site.name} Team`

const wordsPerMinute = 200

/** How long a calm reader takes over `markdown`, code and tables included, in full minutes. */
export function readTime(markdown: string): string {
  const words = markdown.match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu)?.length ?? 0
  return `${Math.max(1, Math.ceil(words / wordsPerMinute))} min read`
}

async function read(slug: string) {
  const file = await readSource(`blog/${slug}.md`)
  const body = String(file).replace(/^---$[\s\S]*?^---$/m, '')
  const summary = { slug, author: AUTHOR, ...parseFrontMatter(file), readTime: readTime(body) }
  return { file, summary }
}

/** All articles, newest first. */
export async function listArticles(): Promise<ArticleSummary[]> {
  const names = await readdir(directory)
  const slugs = names.filter((name) => name.endsWith('.md')).map((name) => name.slice(0, -3))
  const articles = await Promise.all(slugs.map(async (slug) => (await read(slug)).summary))
  return articles.sort((a, b) => b.date.localeCompare(a.date) || a.slug.localeCompare(b.slug))
}

/** One article with its body; rejects when there is none of that slug. */
export async function readArticle(slug: string): Promise<Article> {
  const { file, summary } = await read(slug)
  return { ...summary, ...(await renderMarkdown(file)) }
}

/** The body of an article for readers of feeds, as HTML whose links are absolute. */
export async function readForFeed(slug: string): Promise<string> {
  return renderForFeed((await read(slug)).file, paths.article(slug))
}
