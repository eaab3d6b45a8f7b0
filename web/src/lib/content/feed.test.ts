import { expect, test } from 'vitest'
import { site } from '@/config/site'
import { renderFeed } from './feed'

const article = {
  slug: 'first-app',
  title: 'Swift & you',
  excerpt: 'Is a < b?',
  author: 'The <Team>',
  date: '2025-09-03',
  readTime: '6 min read',
  tags: ['Design'],
  featured: true,
  content: '<p>Ends with ]]> &amp; more</p>',
}

const parse = (xml: string) => new DOMParser().parseFromString(xml, 'application/xml')

test('the feed is well-formed and has an item for each article', () => {
  const feed = parse(renderFeed([article, { ...article, slug: 'second' }]))
  expect(feed.querySelector('parsererror')).toBeNull()
  const [first, second] = feed.querySelectorAll('item')
  const text = (name: string) => first?.getElementsByTagName(name)[0]?.textContent
  expect(text('title')).toBe('Swift & you')
  expect(text('description')).toBe('Is a < b?')
  expect(text('link')).toBe(`${site.origin}/blog/first-app`)
  expect(text('pubDate')).toBe('Wed, 03 Sep 2025 12:00:00 GMT')
  expect(text('category')).toBe('Design')
  expect(text('dc:creator')).toBe('The <Team>')
  expect(text('content:encoded')).toBe('<p>Ends with ]]> &amp; more</p>')
  expect(second?.querySelector('guid')?.textContent).toMatch(/second$/)
})
