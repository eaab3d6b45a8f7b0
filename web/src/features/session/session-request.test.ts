import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { requestSession, requestSessionEarly } from './session-request'

const fetched = vi.fn<typeof fetch>()

beforeEach(() => {
  fetched.mockReset().mockImplementation(async () => new Response('{}'))
  vi.stubGlobal('fetch', fetched)
})
afterEach(() => {
  document.cookie = 'fledge_hint=; max-age=0'
  delete window.takeEarlySession
})

test('who seems signed in is asked for early, and only the first reader has that answer', async () => {
  document.cookie = 'fledge_hint=A'
  requestSessionEarly()
  expect(fetched).toHaveBeenCalledOnce()
  const early = await requestSession()
  expect(fetched).toHaveBeenCalledOnce()
  expect(await requestSession()).not.toBe(early)
  expect(fetched).toHaveBeenCalledTimes(2)
})

test('nobody else is', async () => {
  requestSessionEarly()
  expect(fetched).not.toHaveBeenCalled()
  await requestSession()
  expect(fetched).toHaveBeenCalledOnce()
})

test('a failure is that of the reader', async () => {
  document.cookie = 'fledge_hint=A'
  fetched.mockRejectedValueOnce(new TypeError('offline'))
  requestSessionEarly()
  await expect(requestSession()).rejects.toThrow('offline')
  await expect(requestSession()).resolves.toBeInstanceOf(Response)
})
