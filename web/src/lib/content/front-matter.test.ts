// @vitest-environment node
import { expect, test } from 'vitest'
import { site } from '@/config/site'
import { parseFrontMatter } from './front-matter'
import { toSource } from './source'

const good = {
  title: 'T',
  excerpt: 'E',
  date: "'2025-01-01'",
  tags: '[x]',
  featured: 'true',
}

const parse = (fields: Record<string, string>) => {
  const lines = Object.entries(fields).map(([key, value]) => `${key}: ${value}`)
  return parseFrontMatter(toSource('blog/x.md', ['---', ...lines, '---', 'Text.'].join('\n')))
}

test('front matter is read', () => {
  const read = { title: 'T', excerpt: 'E', date: '2025-01-01', tags: ['x'], featured: true }
  expect(parse(good)).toEqual(read)
  expect(parse({ ...good, updated: '2025-02-28' })).toEqual({ ...read, updated: '2025-02-28' })
  expect(parse({ ...good, excerpt: 'Of {name}.' }).excerpt).toBe(`Of ${site.name}.`)
})

test.each(['title', 'excerpt', 'date', 'tags', 'featured'])('it needs %s', (field) => {
  const rest: Record<string, string> = { ...good }
  delete rest[field]
  expect(() => parse(rest)).toThrow(new RegExp(`content/blog/x\\.md: front matter:[^]*${field}`))
})

test.each([
  ['date', '2025-13-45'],
  ['date', '2025-02-29'],
  ['date', '2025-1-2'],
  ['updated', '2024-12-31'],
  ['updated', 'soon'],
  ['author', 'A'],
  ['title', "''"],
  ['title', "'What {name} does'"],
  ['excerpt', 'An {oops} here'],
  ['tags', 'x'],
  ['tags', '[]'],
  ['featured', 'perhaps'],
  ['feautred', 'true'],
])('a %s of %s stops the build with file and reason', (field, value) => {
  expect(() => parse({ ...good, [field]: value })).toThrow(
    new RegExp(`content/blog/x\\.md: front matter:[^]*${field}`),
  )
})

test('front matter that is none stops the build with the file', () => {
  expect(() => parse({ title: '"open' })).toThrow('content/blog/x.md: front matter: ')
  expect(() => parseFrontMatter(toSource('blog/x.md', 'Text.'))).toThrow('content/blog/x.md')
})
