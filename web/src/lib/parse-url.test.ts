import { expect, it } from 'vitest'
import { parseUrl } from './parse-url'

it.each([
  ['https://a.test/b?c#d', undefined, 'https://a.test/b?c#d'],
  ['/b', 'https://a.test', 'https://a.test/b'],
  ['/b', undefined, undefined],
  ['', undefined, undefined],
  ['https://', undefined, undefined],
  ['https://a.test:99999', undefined, undefined],
])('%j with the base %s is %s', (text, base, href) => {
  expect(parseUrl(text, base)?.href).toBe(href)
})
