// @vitest-environment node
import type { Metadata } from 'next'
import { expect, test } from 'vitest'
import { site } from '@/config/site'
import { listArticles } from '@/lib/content/articles'
import { shareImageNames } from '@/lib/share-image/share-image'
import sitemap from '../sitemap'
import { metadata as landing } from './page'
import { metadata as blog } from './blog/page'
import { metadata as privacy } from './privacy/page'
import { metadata as terms } from './terms/page'

test.each<[string, Metadata, RegExp]>([
  ['/', landing, new RegExp(`^${site.name}: `)],
  ['/blog', blog, /^Blog · /],
  ['/privacy', privacy, /^Privacy Policy · /],
  ['/terms', terms, /^Terms and Conditions · /],
])('%s is shared as itself', (path, { description, openGraph, alternates }, title) => {
  expect(openGraph).toMatchObject({
    url: path,
    description: description ?? site.description,
    images: [{ url: '/og/site.png', alt: 'One sentence grows into a real iPhone app.' }],
  })
  expect(openGraph?.title).toMatch(title)
  expect(alternates?.canonical).toBe(path)
})

test('the site map says when a page changed where that is known', async () => {
  const entries = new Map((await sitemap()).map(({ url, lastModified }) => [url, lastModified]))
  const articles = await listArticles()
  for (const { slug, date, updated } of articles) {
    expect(entries.get(`${site.origin}/blog/${slug}`)).toBe(updated ?? date)
  }
  const newest = articles.map(({ date, updated }) => updated ?? date).sort()
  expect(entries.get(`${site.origin}/blog`)).toBe(newest.at(-1))
  for (const path of ['/', '/terms', '/privacy']) {
    expect(entries.has(site.origin + path)).toBe(true)
    expect(entries.get(site.origin + path)).toBeUndefined()
  }
})

test('there is a picture for the site and for each article', async () => {
  const slugs = (await listArticles()).map(({ slug }) => slug)
  expect(await shareImageNames()).toEqual(['site', ...slugs].map((name) => `${name}.png`))
})
