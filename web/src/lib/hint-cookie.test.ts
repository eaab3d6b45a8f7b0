import { expect, test } from 'vitest'
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
