import { expect, test } from 'vitest'
import { parseSettings } from '@/config/settings'
import { inWords } from './use-grace'

test.each([
  ['168h', '7 days'],
  ['24h', '1 day'],
  ['36h', '36 hours'],
  ['1h', '1 hour'],
  ['1h30m', '90 minutes'],
  ['90s', '90 seconds'],
  ['0s', ''],
  ['0', ''],
  ['a week', '7 days'],
  [undefined, '7 days'],
])('%s are %s', (deletionGrace, words) => {
  expect(inWords(parseSettings({ deletionGrace }).deletionGrace)).toBe(words)
})
