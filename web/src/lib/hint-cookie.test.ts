import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { readSignedInHint } from './hint-cookie'

test.each([
  ['', null],
  ['other=1', null],
  ['not_fledge_hint=A', null],
  ['fledge_hint=A', 'A'],
  ['a=1; fledge_hint=b; c=2', 'B'],
  ['fledge_hint=', 'U'],
  ['fledge_hint=%C3%A9', 'É'],
  ['fledge_hint="Z"', 'Z'],
  ['fledge_hint=%', 'U'],
  ['fledge_hint=Anna', 'A'],
])('%j means %j', (cookies, hint) => {
  expect(readSignedInHint(cookies)).toBe(hint)
})

test('any cookies give one character or nobody', () => {
  const value = fc.oneof(anyText(), fc.constantFrom('%F0%9F', '%', '"', '='))
  fc.assert(
    fc.property(value, value, (one, other) => {
      const hint = readSignedInHint(`${one}; fledge_hint=${other}; ${one}`)
      expect(hint).not.toBeNull()
      // A letter may have a longer capital: ß is SS.
      expect([...(hint ?? '')].length).toBeLessThanOrEqual(3)
    }),
  )
})
