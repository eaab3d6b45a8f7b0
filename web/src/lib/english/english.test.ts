import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clock, clock24, fullDay, longDay, shortDay } from './dates'
import { twoDecimals, upToTwoDecimals, whole } from './numbers'

const numbers = (options: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat('en-US', options).format
const dates = (options: Intl.DateTimeFormatOptions) => {
  const { format } = new Intl.DateTimeFormat('en-US', options)
  // Some versions separate AM and PM by a narrow space.
  return (time: number) => format(time).replace('\u202f', ' ')
}

/** Where a third decimal is a lone 5, the platform rounds what it would print, and we what it is. */
const isTie = (value: number) => /\.(?:5|\d{2}5)$/.test(String(value))

const amounts = fc
  .integer({ min: -1e12, max: 1e12 })
  .map((value) => value / 10_000)
  .filter((value) => !isTie(value))

describe('numbers are written as Intl writes them', () => {
  test.each([
    ['two decimals', twoDecimals, { minimumFractionDigits: 2, maximumFractionDigits: 2 }],
    ['two at most', upToTwoDecimals, { maximumFractionDigits: 2 }],
    ['whole', whole, { maximumFractionDigits: 0 }],
  ] as const)('%s', (_, ours, options) => {
    const theirs = numbers(options)
    fc.assert(fc.property(amounts, (value) => void expect(ours(value)).toBe(theirs(value))))
  })
})

describe('dates are written as Intl writes them', () => {
  const times = fc.integer({ min: 0, max: Date.UTC(2100, 0) })
  test.each([
    ['long', longDay, { dateStyle: 'long' }],
    ['short', shortDay, { dateStyle: 'medium' }],
    ['full', fullDay, { dateStyle: 'full' }],
    ['clock', clock, { timeStyle: 'short' }],
    ['clock of 24 hours', clock24, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }],
  ] as const)('%s', (_, ours, options) => {
    const theirs = dates(options)
    fc.assert(fc.property(times, (time) => void expect(ours(time)).toBe(theirs(time))))
  })
})
