import { expect, test } from 'vitest'
import { renderFeed } from './feed'

const article = {
  slug: 'first-app',
  title: 'Swift & you',
  excerpt: 'Is a < b?',
  author: 'Fledge Team',
  date: '2025-09-03',
  readTime: '6 min read',
  tags: ['Design'],
  featured: true,
}

test('the feed is well-formed and has an item for each article', () => {
  const feed = new DOMParser().parseFromString(
    renderFeed([article, { ...article, slug: 'second' }]),
    'application/xml',
  )
  expect(feed.querySelector('parsererror')).toBeNull()
  const [first, second] = feed.querySelectorAll('item')
  const text = (name: string) => first?.querySelector(name)?.textContent
  expect(text('title')).toBe('Swift & you')
  expect(text('description')).toBe('Is a < b?')
  expect(text('link')).toMatch(/^https?:\/\/[^/]+\/blog\/first-app$/)
  expect(text('pubDate')).toBe('Wed, 03 Sep 2025 12:00:00 GMT')
  expect(text('category')).toBe('Design')
  expect(second?.querySelector('guid')?.textContent).toMatch(/second$/)
})
