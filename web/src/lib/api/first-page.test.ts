import { expect, test } from 'vitest'
import { mergeFirstPage } from './first-page'

const page = (ids: string, next: string | null = null) => ({
  data: [...ids].map((id) => ({ id, status: 'loaded' })),
  nextCursor: next,
})
const fresh = (ids: string, nextCursor: string | null) => ({
  data: [...ids].map((id) => ({ id, status: 'fresh' })),
  nextCursor,
})

function merged(loaded: string[], first: string, next: string | null) {
  const list = { pages: loaded.map((ids) => page(ids)), pageParams: loaded.map((_, at) => `${at}`) }
  const before = list.pages.map(({ data }) => data)
  mergeFirstPage(list, fresh(first, next))
  const untouched = list.pages.filter((one, at) => one.data === before[at] && at > 0).length
  return { ids: list.pages.map(({ data }) => data.map(({ id }) => id).join('')), list, untouched }
}

test.each([
  ['nothing has changed', ['abc', 'def', 'ghi'], 'abc', ['abc', 'def', 'ghi'], 2],
  ['one has gone, the next page moves up', ['abc', 'def', 'ghi'], 'acd', ['acd', 'ef', 'ghi'], 1],
  ['one is new', ['abc', 'def'], 'xab', ['xabc', 'def'], 1],
  ['more are new than a page has', ['abc', 'def'], 'xyz', ['xyz'], 0],
  ['one page is all that was loaded', ['abc'], 'acd', ['acd'], 0],
  ['nothing is left', ['abc', 'def'], '', [''], 0],
  ['fewer are left than a page has', ['abc'], 'ac', ['ac'], 0],
])('%s', (_, loaded, first, result, untouched) => {
  const after = merged(loaded, first, 'next')
  expect(after.ids).toEqual(result)
  expect(after.untouched).toBe(untouched)
  expect(after.list.pageParams).toHaveLength(result.length)
  expect(after.list.pages[0]?.data.slice(0, first.length).every((e) => e.status === 'fresh')).toBe(
    true,
  )
})

test('a first page that is all there is takes the place of everything', () => {
  expect(merged(['abc', 'def'], 'abc', null).ids).toEqual(['abc'])
})
