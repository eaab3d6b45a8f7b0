import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatDateTime } from './format-date-time'

test.each([
  ['2025-08-27T09:05:59', 'Aug 27, 2025 09:05'],
  ['2025-01-02T00:00:00', 'Jan 2, 2025 00:00'],
  ['2025-12-31T23:59:59', 'Dec 31, 2025 23:59'],
  ['yesterday', 'Unknown date'],
  ['', 'Unknown date'],
])('%s is %s', (iso, text) => {
  expect(formatDateTime(iso)).toBe(text)
})

test('every moment has the form MMM d, yyyy HH:mm', () => {
  const moments = fc.date({
    min: new Date('2000-01-01'),
    max: new Date('2099-12-31'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(moments, (date) => {
      expect(formatDateTime(date.toISOString())).toMatch(
        /^[A-Z][a-z]{2} [1-3]?\d, 20\d\d ([01]\d|2[0-3]):[0-5]\d$/,
      )
    }),
  )
})
