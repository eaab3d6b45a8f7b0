import 'server-only'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import matter from 'gray-matter'
import { site } from '@/config/site'
import { fillIn } from './fill-in'
import { renderMarkdown, type Rendered } from './markdown'

const directory = path.join(process.cwd(), 'content/blog')

/** What a list shows of an article. */
export interface ArticleSummary {
  slug: string
  title: string
  excerpt: string
  author: string
  /** YYYY-MM-DD. */
  date: string
  /** Such as '6 min read', worked out from the text. */
  readTime: string
  tags: string[]
  featured: boolean
}

/** What an article's file says about it. */
type FrontMatter = Omit<ArticleSummary, 'readTime'>

export interface Article extends ArticleSummary, Rendered {}

const required = ['title', 'excerpt', 'date'] as const

const wordsPerMinute = 200

/** Checks an article's front matter; throws with the slug and the field that is wrong. The author is the team by default. */
export function parseFrontMatter(slug: string, data: Record<string, unknown>): FrontMatter {
  const fail = (field: string): never => {
    throw new Error(`content/blog/${slug}.md: front matter field "${field}" is missing or malformed`)
  }
  const values = Object.fromEntries(
    required.map((field) => {
      const value = data[field]
      return [field, typeof value === 'string' && value !== '' ? value : fail(field)]
    }),
  ) as Record<(typeof required)[number], string>
  if (!/^\d{4}-\d{2}-\d{2}$/.test(values.date)) fail('date')
  const { tags, featured, author = `${site.name} Team` } = data
  if (typeof author !== 'string' || author === '') return fail('author')
  if (!Array.isArray(tags) || !tags.every((tag) => typeof tag === 'string')) return fail('tags')
  if (typeof featured !== 'boolean') return fail('featured')
  return { slug, ...values, author, tags, featured }
}

/** How long a calm reader takes over `markdown`, code and tables included, in full minutes. */
export function readTime(markdown: string): string {
  const words = markdown.match(/[\p{L}\p{N}][\p{L}\p{N}’'-]*/gu)?.length ?? 0
  return `${Math.max(1, Math.ceil(words / wordsPerMinute))} min read`
}

async function read(slug: string) {
  const file = matter(fillIn(await readFile(path.join(directory, `${slug}.md`), 'utf8')))
  const summary = { ...parseFrontMatter(slug, file.data), readTime: readTime(file.content) }
  return { summary, markdown: file.content }
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
  const { summary, markdown } = await read(slug)
  return { ...summary, ...(await renderMarkdown(markdown)) }
}
