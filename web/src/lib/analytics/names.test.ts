import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isName } from './names'

test.each(['join_waitlist', 'hero_section', 'update-payment'])('%s is a name', (name) => {
  expect(isName(name)).toBe(true)
})

test.each([
  'Sign out of Jane’s MacBook',
  'jane@example.com',
  'people.csv',
  'deadbeef-0000',
  '',
  null,
  'a'.repeat(41),
  'join_waitlist\n',
])('%j is none', (text) => {
  expect(isName(text)).toBe(false)
})

test('no text with a space, a dot, an @ or a capital is a name', () => {
  const text = fc
    .tuple(fc.string(), fc.constantFrom(' ', '.', '@', 'J'), fc.string())
    .map((parts) => parts.join(''))
  fc.assert(fc.property(text, (written) => !isName(written)))
})
