// @vitest-environment node
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { listArticles, parseFrontMatter, readArticle, readTime } from './articles'
import { fillIn } from './fill-in'
import { readLegal } from './legal'

// The highlighter takes its time over the first of them.
const renderingAll = { timeout: 60_000 }

test('every article is complete, dated and renders', renderingAll, async () => {
  const articles = await listArticles()
  const featured = articles.filter((article) => article.featured)
  expect(featured).toHaveLength(12)
  expect(featured.every(({ date }) => date >= '2025-08-27' && date <= '2025-09-07')).toBe(true)
  expect(articles.filter(({ date }) => date < '2025').length).toBeGreaterThanOrEqual(5)
  expect(articles.map(({ date }) => date)).toEqual(
    articles.map(({ date }) => date).sort((a, b) => b.localeCompare(a)),
  )
  for (const { slug } of articles) {
    const article = await readArticle(slug)
    expect(article.headings.map(({ text }) => text)).toContain('Frequently asked questions')
    expect(article.html).toContain('href="/#join"')
    expect(article.html).toContain('<table>')
  }
})

test('articles take 5 to 12 minutes and link only to pages that exist', renderingAll, async () => {
  const articles = await listArticles()
  const pages = new Set(['/#join', ...articles.map(({ slug }) => `/blog/${slug}`)])
  for (const { slug, readTime } of articles) {
    expect(parseInt(readTime), slug).toBeGreaterThanOrEqual(5)
    expect(parseInt(readTime), slug).toBeLessThanOrEqual(12)
    for (const [, href] of (await readArticle(slug)).html.matchAll(/href="(\/[^"]*)"/g)) {
      expect(pages, slug).toContain(href)
    }
  }
})

test.each([
  ['One.', '1 min read'],
  ['word '.repeat(200), '1 min read'],
  ['| it’s | `code()` |\n'.repeat(101), '2 min read'],
])('reading time of %#', (markdown, expected) => {
  expect(readTime(markdown)).toBe(expected)
})

test.each(['title', 'date', 'tags', 'featured'])('front matter needs %s', (field) => {
  const data: Record<string, unknown> = {
    title: 'T',
    excerpt: 'E',
    date: '2025-01-01',
    tags: ['x'],
    featured: true,
  }
  delete data[field]
  expect(() => parseFrontMatter('some-slug', data)).toThrow(`some-slug.md: front matter field "${field}"`)
})

test('the terms have their thirteen sections', async () => {
  const { headings, html } = await readLegal('terms')
  expect(headings.map(({ text }) => text.replace(/^\d+\. /, ''))).toEqual([
    'Eligibility',
    'Accounts',
    'Credits, Pricing and Payments',
    'Usage and Learning',
    'Acceptable Use',
    'Intellectual Property',
    'Changes to the Services',
    'Disclaimer',
    'Limitation of Liability',
    'Termination',
    'Changes to Terms',
    'Governing Law',
    'Contact',
  ])
  expect(html).toMatch(/13 years old[\s\S]*3 months[\s\S]*Delaware/)
})

test('the privacy policy has its nine sections', async () => {
  const { headings, html } = await readLegal('privacy')
  expect(headings).toHaveLength(9)
  expect(html).toContain('mailto:privacy@fledge.example')
})

test('an unknown name stops the build', () => {
  expect(fillIn('Ask {name}.')).toBe('Ask Fledge.')
  expect(() => fillIn('{oops}')).toThrow('{oops}')
})

test('names in code are left alone', () => {
  const markdown = 'Ask `{name}`, {name}:\n\n```swift\nlet x = {oops}\n```\n\n{name}'
  expect(fillIn(markdown)).toBe('Ask `{name}`, Fledge:\n\n```swift\nlet x = {oops}\n```\n\nFledge')
})

test('articles are by the team unless they name an author', () => {
  const data = { title: 'T', excerpt: 'E', date: '2025-01-01', tags: ['x'], featured: true }
  expect(parseFrontMatter('some-slug', data).author).toBe('Fledge Team')
  expect(parseFrontMatter('some-slug', { ...data, author: 'A' }).author).toBe('A')
  expect(() => parseFrontMatter('some-slug', { ...data, author: '' })).toThrow('"author"')
})

test('no article writes out the name of the product', async () => {
  const directory = path.join(process.cwd(), 'content/blog')
  for (const name of await readdir(directory)) {
    expect(await readFile(path.join(directory, name), 'utf8'), name).not.toContain('Fledge')
  }
})
