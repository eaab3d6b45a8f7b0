import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { ALL, distinctTags, filterArticles } from './filter'

const posts = [
  { title: 'What it costs (100%)', excerpt: 'From $0 to a+b', tags: ['Costs'] },
  { title: 'Why native', excerpt: 'C:\\apps and .*', tags: ['Swift', 'Costs'] },
]

test.each([
  ['.*(a+)+$', 0],
  ['.*', 1],
  ['\\', 1],
  ['%', 1],
  ['(', 1],
  ['[', 0],
  ['a+b', 1],
  ['<script>', 0],
  ['x'.repeat(10_240), 0],
  ['  NATIVE ', 1],
  ['', 2],
])('the text %j is found as it stands', (search, found) => {
  expect(filterArticles(posts, search, ALL)).toHaveLength(found)
})

test('what is typed is never a pattern, and what is found contains it', () => {
  const any = fc.oneof(anyText(), fc.constantFrom('^', '(?:', '\\d+', '$&'))
  fc.assert(
    fc.property(any, any, any, (title, excerpt, search) => {
      const all = [...posts, { title, excerpt, tags: [search] }]
      const wanted = search.trim().toLowerCase()
      for (const post of filterArticles(all, search, ALL)) {
        expect((post.title + '\n' + post.excerpt).toLowerCase()).toContain(wanted)
      }
      expect(filterArticles(all, title, ALL)).toContain(all[2])
      expect(filterArticles(all, '', search)).toContain(all[2])
      expect(new Set(distinctTags(all)).size).toBe(distinctTags(all).length)
    }),
  )
})
