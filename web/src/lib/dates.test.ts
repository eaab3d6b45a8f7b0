import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  formatBillingDay,
  formatCalendarDay,
  formatChartDay,
  formatDateTime,
  formatDay,
  formatFullDateTime,
  formatLocalDay,
  formatMonth,
  formatTimeAgo,
} from './dates'

test.each([
  ['2025-08-27T09:05:59', 'Aug 27, 2025 09:05'],
  ['2025-01-02T00:00:00', 'Jan 2, 2025 00:00'],
  ['2025-12-31T23:59:59', 'Dec 31, 2025 23:59'],
  ['yesterday', 'Unknown date'],
  ['', 'Unknown date'],
  [null, 'Unknown date'],
])('%s is %s', (moment, text) => {
  expect(formatDateTime(moment)).toBe(text)
})

// A day from either end of the century: it begins at another moment in each time zone.
test('every moment has the form MMM d, yyyy HH:mm', () => {
  const moments = fc.date({
    min: new Date('2000-01-02'),
    max: new Date('2099-12-30'),
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

test('a moment that is absent can have a word of its own', () => {
  expect(formatDateTime(null, 'Never')).toBe('Never')
})

test('a day in the visitor’s time zone', () => {
  expect(formatDay('2025-08-07T12:00:00')).toBe('Aug 7, 2025')
  expect(formatDay(null)).toBe('Unknown date')
  expect(formatFullDateTime('2025-11-21T21:05:00')).toMatch(/^Friday, November 21, 2025.*9:05\sPM$/)
})

describe('what is billed is in UTC, wherever the visitor is', () => {
  beforeEach(() => void vi.stubEnv('TZ', 'America/Los_Angeles'))
  afterEach(() => void vi.unstubAllEnvs())

  test('so that it is the day of Stripe’s mails', () => {
    expect(new Date('2026-12-21T02:00:00Z').getDate()).toBe(20)
    expect(formatBillingDay('2026-12-21T02:00:00Z')).toBe('December 21, 2026')
    expect(formatBillingDay(undefined)).toBe('Unknown date')
    expect(formatBillingDay('soon')).toBe('Unknown date')
  })

  test('and so are days without a time', () => {
    expect(formatCalendarDay('2025-09-03')).toBe('September 3, 2025')
    expect(formatMonth('2026-10')).toBe('October 2026')
    expect(formatChartDay('2026-12-03')).toBe('Dec 3')
    expect(formatChartDay('today')).toBe('today')
  })

  test.each([
    ['en-US', 'September 3, 2025'],
    ['de-DE', '3. September 2025'],
  ])('a day as it is written in %s', (language, text) => {
    vi.spyOn(navigator, 'language', 'get').mockReturnValue(language)
    expect(formatLocalDay('2025-09-03')).toBe(text)
  })
})

// The same day from Honolulu to Auckland.
const now = Date.parse('2025-11-21T10:30:00Z')

test.each([
  ['2025-11-21T10:30:30Z', 'just now'],
  ['2025-11-21T10:29:01Z', 'just now'],
  ['2025-11-21T10:29:00Z', '1 minute ago'],
  ['2025-11-21T09:30:01Z', '59 minutes ago'],
  ['2025-11-21T09:30:00Z', '1 hour ago'],
  ['2025-11-20T10:30:01Z', '23 hours ago'],
  ['2025-11-20T10:30:00Z', 'yesterday'],
  ['2025-10-23T10:30:00Z', '29 days ago'],
  ['2025-10-22T10:30:00Z', 'on Oct 22, 2025'],
  ['never', 'at an unknown time'],
])('%s was %s', (moment, words) => {
  expect(formatTimeAgo(moment, now)).toBe(words)
})

test("a browser's language that is no tag gives the day in English", () => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue('en-US@posix')
  expect(formatLocalDay('2025-09-03')).toBe('September 3, 2025')
})
