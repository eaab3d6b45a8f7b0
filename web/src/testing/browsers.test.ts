// @vitest-environment node
import { Linter } from 'eslint'
import { expect, test } from 'vitest'
import { browserRules } from '../../lint/browsers.mjs'

const complaints = (code: string) =>
  new Linter().verify(code, {
    languageOptions: { globals: { requestIdleCallback: 'readonly', navigation: 'readonly' } },
    rules: browserRules,
  })

test.each([
  'URL.canParse(text)',
  'fetch(url, { signal: AbortSignal.timeout(1000) })',
  'list.toReversed()',
  '[1, 2].toSorted()',
  'Object.groupBy(list, of)',
  'Promise.withResolvers()',
  'new CSSStyleSheet()',
  'document.adoptedStyleSheets = []',
  'requestIdleCallback(task)',
  'navigation.addEventListener("navigate", go)',
  'form.requestSubmit()',
  'new FormData(form, button)',
  'query.size > 0',
  'address.searchParams.size > 0',
  '/(?<=a)b/.test(text)',
  '/(?<!a)b/.test(text)',
])('what Safari 15.6 lacks is refused: %s', (code) => {
  expect(complaints(code)).toHaveLength(1)
})

test.each([
  'new URL(text)',
  '[...list].reverse()',
  'list.at(-1)',
  'rows.size',
  'structuredClone(value)',
  'new BroadcastChannel("x")',
  'new FormData(form)',
  '/(?<name>a)/.test(text)',
])('what it has is not: %s', (code) => {
  expect(complaints(code)).toEqual([])
})
