import { expect, test, vi } from 'vitest'
import { createStyleCache } from './style-cache'

const nested = 'color:red;&:hover{color:blue;}@media (width > 30rem){color:green;}'

/** What is inserted for `styles` by a browser that can nest rules, or cannot. */
function inserted(nests: boolean, selector: string, styles: string): string[] {
  vi.stubGlobal('CSS', { supports: (condition: string) => nests && condition === 'selector(&)' })
  const cache = createStyleCache()
  vi.unstubAllGlobals()
  const rules: string[] = []
  cache.sheet.insert = (rule) => void rules.push(rule)
  cache.insert(selector, { name: 'a', styles }, cache.sheet, true)
  expect(cache.inserted['a']).toBe(true)
  return rules
}

test('the rules of an element are one, nested as they are written', () => {
  expect(inserted(true, '.css-a', nested)).toEqual([`.css-a{${nested}}`])
})

test('a browser that cannot nest rules gets them unnested', () => {
  const rules = inserted(false, '.css-a', nested)
  expect(rules.length).toBeGreaterThan(1)
  expect(rules.join('')).toContain('.css-a:hover{color:blue;}')
})

test('what stands for itself is left to Emotion', () => {
  const rules = inserted(true, '', '@keyframes spin{to{rotate:360deg;}}')
  expect(rules.join('')).toContain('@keyframes spin{to{rotate:360deg;}}')
})
