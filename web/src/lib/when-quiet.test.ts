import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { whenQuiet } from './when-quiet'

let fetched: () => void
const disconnect = vi.fn()

beforeEach(() => {
  vi.useFakeTimers()
  disconnect.mockClear()
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      disconnect = disconnect
      constructor(callback: () => void) {
        fetched = callback
      }
      observe() {}
    },
  )
})
afterEach(() => void vi.useRealTimers())

test('waits until nothing is fetched any more, and runs once', () => {
  const task = vi.fn()
  whenQuiet(task)
  vi.advanceTimersByTime(500)
  fetched()
  vi.advanceTimersByTime(500)
  expect(task).not.toHaveBeenCalled()
  vi.advanceTimersByTime(100)
  expect(task).toHaveBeenCalledOnce()
  expect(disconnect).toHaveBeenCalledOnce()
  vi.runAllTimers()
  expect(task).toHaveBeenCalledOnce()
})

test('patience ends on a page that never rests', () => {
  const task = vi.fn()
  whenQuiet(task)
  for (let passed = 0; passed < 6000; passed += 500) {
    fetched()
    vi.advanceTimersByTime(500)
  }
  expect(task).toHaveBeenCalledOnce()
})

test('is called off', () => {
  const task = vi.fn()
  whenQuiet(task)()
  vi.runAllTimers()
  expect(task).not.toHaveBeenCalled()
})
