import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { patiently } from './patiently'
import { answerProblem } from './problem'

const refused = (retryAfter: string | null, status = 429) =>
  answerProblem(status, '', {}, retryAfter)

beforeEach(() => {
  vi.useFakeTimers()
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
})
afterEach(() => void vi.useRealTimers())

it('asks again after Retry-After, with jitter', async () => {
  const call = vi.fn().mockRejectedValueOnce(refused('2')).mockResolvedValue('in')
  const answer = patiently(call)
  await vi.advanceTimersByTimeAsync(2499)
  expect(call).toHaveBeenCalledTimes(1)
  await vi.advanceTimersByTimeAsync(1)
  await expect(answer).resolves.toBe('in')
})

it('gives up after a while', async () => {
  const call = vi.fn().mockRejectedValue(refused('2'))
  const answer = expect(patiently(call)).rejects.toMatchObject({ status: 429 })
  await vi.advanceTimersByTimeAsync(60_000)
  await answer
  expect(call).toHaveBeenCalledTimes(4)
})

it.each([refused(null), refused('soon'), refused('60'), refused('2', 503), new Error('other')])(
  'does not repeat after %o',
  async (problem) => {
    const call = vi.fn().mockRejectedValue(problem)
    await expect(patiently(call)).rejects.toBe(problem)
    expect(call).toHaveBeenCalledOnce()
  },
)
