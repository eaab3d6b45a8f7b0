import { beforeEach, expect, it, vi } from 'vitest'
import { noteServerTime, serverTime } from './server-time'

const NOON = Date.parse('2026-11-29T12:00:00Z')

beforeEach(() => {
  vi.useFakeTimers({ now: NOON })
  return () => void vi.useRealTimers()
})

it.each([
  ['Sun, 29 Nov 2026 12:00:00 GMT', 0],
  ['Sun, 29 Nov 2026 11:59:57 GMT', 0],
  ['Mon, 30 Nov 2026 12:00:00 GMT', 24 * 3_600_000],
  ['Sun, 29 Nov 2026 11:58:00 GMT', -120_000],
])('of an answer from %s is so many milliseconds ahead: %d', (date, ahead) => {
  noteServerTime(date)
  expect(serverTime() - NOON).toBe(ahead)
})

it.each([null, '', 'soon'])('is not changed by an answer from %s', (date) => {
  noteServerTime('Mon, 30 Nov 2026 12:00:00 GMT')
  noteServerTime(date)
  expect(serverTime(NOON)).toBe(NOON + 24 * 3_600_000)
})
