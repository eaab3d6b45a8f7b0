import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { playConfetti } from './play-confetti'

const confetti = { burst: vi.fn(), clear: vi.fn() }
const create = vi.fn(() => confetti)
const bursts = () => confetti.burst.mock.calls.length
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

beforeEach(() => {
  vi.clearAllMocks()
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('starts after 500 ms and bursts every 250 ms for 3000 ms', async () => {
  playConfetti(async () => create)
  await pass(499)
  expect(bursts()).toBe(0)
  await pass(1)
  expect(bursts()).toBe(1)
  await pass(249)
  expect(bursts()).toBe(1)
  await pass(1)
  expect(bursts()).toBe(2)
  await pass(3000 - 251)
  expect(bursts()).toBe(12)
  await pass(10_000)
  expect(bursts()).toBeLessThanOrEqual(13)
})

test('is fetched at once, so that its way is not added to the delay', async () => {
  const load = vi.fn(
    () => new Promise<typeof create>((resolve) => setTimeout(resolve, 400, create)),
  )
  playConfetti(load)
  expect(load).toHaveBeenCalledOnce()
  await pass(500)
  expect(bursts()).toBe(1)
})

test('plays when it arrives, where that is later', async () => {
  playConfetti(() => new Promise((resolve) => setTimeout(resolve, 2000, create)))
  await pass(1999)
  expect(bursts()).toBe(0)
  await pass(1)
  expect(bursts()).toBe(1)
})

test('that does not arrive is left out', async () => {
  playConfetti(() => Promise.reject(new Error('offline')))
  await pass(5000)
  expect(create).not.toHaveBeenCalled()
})

test('stopped before it starts, it never does', async () => {
  const stop = playConfetti(async () => create)
  stop()
  await pass(5000)
  expect(create).not.toHaveBeenCalled()
})

test('stopped while it plays, it is cleared away', async () => {
  const stop = playConfetti(async () => create)
  await pass(1000)
  const before = bursts()
  stop()
  expect(confetti.clear).toHaveBeenCalledOnce()
  await pass(5000)
  expect(bursts()).toBe(before)
})
