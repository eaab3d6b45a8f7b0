import { expect, onTestFinished, test, vi } from 'vitest'
import { deletionNotice } from './deletion-notice'

const KEY = 'fledge_account_deletion'

test('is kept for an hour', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  expect(deletionNotice.get()).toBeNull()
  deletionNotice.set('2026-12-03T12:00:00Z')
  vi.setSystemTime(Date.now() + 3_599_000)
  expect(deletionNotice.get()).toBe('2026-12-03T12:00:00Z')
  vi.setSystemTime(Date.now() + 1000)
  expect(deletionNotice.get()).toBeNull()
})

test.each(['{', 'null', '7', '"soon"', 'null'])('is none when it is no date: %s', (value) => {
  sessionStorage.setItem(KEY, `{"value":${value},"at":${Date.now()}}`)
  expect(deletionNotice.get()).toBeNull()
})
