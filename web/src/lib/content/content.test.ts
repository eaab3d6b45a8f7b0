// @vitest-environment node
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { site } from '@/config/site'
import { listArticles, readArticle, readTime } from './articles'
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
    expect(article.questions.length, slug).toBeGreaterThanOrEqual(3)
    // The last thing that it says leads to the form, by a link of its own.
    expect(article.html).toMatch(/<p><a href="\/#join">[^<]+<\/a><\/p><\/aside>$/)
    expect(article.html).toContain('<table ')
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
  expect(html).toContain(`mailto:${site.emails.privacy}`)
})

test('no article writes out the name of the product', async () => {
  const directory = path.join(process.cwd(), 'content/blog')
  for (const name of await readdir(directory)) {
    expect(await readFile(path.join(directory, name), 'utf8'), name).not.toContain(site.name)
  }
})
