import { expect, test } from 'vitest'
import { readNext } from './read-next'

const posts = [
  { slug: 'newest', tags: ['Costs'] },
  { slug: 'design', tags: ['Design', 'Swift'] },
  { slug: 'read', tags: ['Swift', 'Design'] },
  { slug: 'swift', tags: ['Swift'] },
  { slug: 'figma', tags: ['Design'] },
]

const slugs = (count: number, slug = 'read') =>
  readNext(posts, slug, count).map((post) => post.slug)

test('the articles that share most tags come first, then the newest, never the one that is read', () => {
  expect(slugs(2)).toEqual(['design', 'swift'])
  expect(slugs(9)).toEqual(['design', 'swift', 'figma', 'newest'])
  expect(slugs(1, 'newest')).toEqual(['design'])
})
