import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { whole } from '@/lib/english/numbers'
import { formatBytes, formatDay, formatMoment } from './format'

describe('formatBytes', () => {
  it.each([
    [0, '0 Bytes'],
    [1, '1 Bytes'],
    [1023, '1023 Bytes'],
    [1024, '1 KB'],
    [1536, '1.5 KB'],
    [1_234_567, '1.18 MB'],
    [104_857_600, '100 MB'],
    [1_610_612_736, '1.5 GB'],
    [5_497_558_138_880, '5120 GB'],
    [Number.NaN, '0 Bytes'],
  ])('writes %d as %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text)
  })

  it('stays within half a hundredth of a unit', () => {
    const units: Record<string, number> = { Bytes: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (bytes) => {
        const [value, unit = ''] = formatBytes(bytes).split(' ')
        expect(Math.abs(Number(value) - bytes / (units[unit] ?? 0))).toBeLessThanOrEqual(0.0051)
      }),
    )
  })
})

describe('dates and counts', () => {
  it('are in en-US', () => {
    expect(formatDay('2025-08-27T12:00:00Z')).toBe('Aug 27, 2025')
    expect(formatMoment('2025-08-27T12:00:00Z')).toMatch(/^Aug 2\d, 2025, \d+:\d\d [AP]M$/)
    expect(whole(1_234_567)).toBe('1,234,567')
  })

  it('say when there is none', () => {
    expect(formatDay(null)).toBe('Unknown date')
    expect(formatDay('yesterday')).toBe('Unknown date')
    expect(formatMoment(null)).toBe('Never')
  })
})
