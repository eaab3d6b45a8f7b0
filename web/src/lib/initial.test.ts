import { expect, it } from 'vitest'
import { initialOf } from './initial'

it.each([
  ['jane@fledge.test', 'J'],
  ['9lives@fledge.test', '9'],
  ['_x@fledge.test', 'U'],
  ['é@fledge.test', 'U'],
  ['', 'U'],
])('the avatar of %j shows %s', (email, letter) => {
  expect(initialOf(email)).toBe(letter)
})
