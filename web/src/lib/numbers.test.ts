import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatBytes, moneyText, twoDecimals, upToTwoDecimals, whole } from './numbers'

test.each([
  [1_234.5, '1,234.50', '1,234.5', '1,235'],
  [0, '0.00', '0', '0'],
  [100, '100.00', '100', '100'],
  [-1_234_567.891, '-1,234,567.89', '-1,234,567.89', '-1,234,568'],
])('%d with two decimals, with two at most, and without', (value, two, upToTwo, none) => {
  expect([twoDecimals(value), upToTwoDecimals(value), whole(value)]).toEqual([two, upToTwo, none])
})

test.each([undefined, null, 'much', {}, Number.NaN, Infinity])('%s is no number', (value) => {
  for (const words of [twoDecimals, upToTwoDecimals, whole]) expect(words(value as never)).toBe('–')
})

test('an amount of money is written in its currency', () => {
  expect([25, 0, -1234.5].map((amount) => moneyText(amount, 'usd'))).toEqual([
    '$25.00',
    '$0.00',
    '-$1,234.50',
  ])
  expect(moneyText(25, 'eur')).toBe('€25.00')
  expect(moneyText(25, 'no currency')).toBe('25.00 NO CURRENCY')
})

test.each([
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
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})

test('a size is within half a hundredth of its unit', () => {
  const units: Record<string, number> = { Bytes: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 }
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 45 }), (bytes) => {
      const [value, unit = ''] = formatBytes(bytes).split(' ')
      expect(Math.abs(Number(value) - bytes / (units[unit] ?? 0))).toBeLessThanOrEqual(0.0051)
    }),
  )
})
