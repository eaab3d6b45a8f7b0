import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { whenUsed, whenUsedAndQuiet } from './when-used'

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      observe() {}
      disconnect() {}
    },
  )
})
afterEach(() => void vi.useRealTimers())

const use = (deed = 'pointerover') =>
  document.body.dispatchEvent(new Event(deed, { bubbles: true }))

test.each(['pointerover', 'pointerdown', 'keydown'])('%s is use, and counts once', (deed) => {
  const task = vi.fn()
  whenUsed(task)
  expect(task).not.toHaveBeenCalled()
  use(deed)
  use()
  expect(task).toHaveBeenCalledOnce()
})

test('a page that is used gets to rest first', () => {
  const task = vi.fn()
  whenUsedAndQuiet(task)
  vi.runAllTimers()
  expect(task).not.toHaveBeenCalled()
  use()
  expect(task).not.toHaveBeenCalled()
  vi.runAllTimers()
  expect(task).toHaveBeenCalledOnce()
})

test.each([whenUsed, whenUsedAndQuiet])('is called off before it is used', (wait) => {
  const task = vi.fn()
  wait(task)()
  use()
  vi.runAllTimers()
  expect(task).not.toHaveBeenCalled()
})

test('is called off before the page is quiet', () => {
  const task = vi.fn()
  const stop = whenUsedAndQuiet(task)
  use()
  stop()
  vi.runAllTimers()
  expect(task).not.toHaveBeenCalled()
})
