import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { englishDate, localDate } from './format-date'

const day = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10))

test('a date in English is what the platform would write', () => {
  const written = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' })
  fc.assert(
    fc.property(day, (date) => {
      expect(englishDate(date)).toBe(written.format(new Date(date)))
    }),
  )
})

test.each(['en-US', 'de-DE'])(
  'a local date is that day, wherever the visitor is (%s)',
  (language) => {
    vi.spyOn(navigator, 'language', 'get').mockReturnValue(language)
    const expected = new Date(2025, 8, 3).toLocaleDateString(undefined, { dateStyle: 'long' })
    expect(localDate('2025-09-03')).toBe(expected)
  },
)
