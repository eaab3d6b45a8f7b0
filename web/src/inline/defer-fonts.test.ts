import { afterEach, expect, test, vi } from 'vitest'
import { deferFonts } from './defer-fonts'

afterEach(() => {
  vi.restoreAllMocks()
  delete document.documentElement.dataset.fonts
})

test.each([
  ['', 'deferred'],
  ['https://search.example/', 'deferred'],
  [`${window.location.origin}/blog`, undefined],
])('the fonts of a page that is reached from %j are %s until it has loaded', (from, fonts) => {
  vi.spyOn(document, 'referrer', 'get').mockReturnValue(from)
  deferFonts()
  expect(document.documentElement.dataset.fonts).toBe(fonts)
  window.dispatchEvent(new Event('load'))
  expect(document.documentElement.dataset.fonts).toBeUndefined()
})
