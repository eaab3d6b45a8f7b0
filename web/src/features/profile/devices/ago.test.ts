import { expect, test } from 'vitest'
import { ago, exactly } from './ago'

const now = Date.parse('2025-11-21T12:00:00Z')

test.each([
  ['2025-11-21T12:00:30Z', 'just now'],
  ['2025-11-21T11:59:01Z', 'just now'],
  ['2025-11-21T11:59:00Z', '1 minute ago'],
  ['2025-11-21T11:00:01Z', '59 minutes ago'],
  ['2025-11-21T11:00:00Z', '1 hour ago'],
  ['2025-11-20T12:00:01Z', '23 hours ago'],
  ['2025-11-20T12:00:00Z', 'yesterday'],
  ['2025-10-23T12:00:00Z', '29 days ago'],
  ['2025-10-22T12:00:00Z', 'on Oct 22, 2025'],
  ['never', 'at an unknown time'],
])('%s was %s', (iso, words) => {
  expect(ago(iso, now)).toBe(words)
})

test('a moment in full', () => {
  expect(exactly('2025-11-21T12:00:00')).toMatch(/^Friday, November 21, 2025.*12:00\sPM$/)
  expect(exactly('never')).toBe('Unknown time')
})
