import { HttpResponse } from 'msw'
import { expect, test, vi } from 'vitest'
import { failure, offline, onPost } from '@/testing/server'
import { joinWaitlist } from './join-waitlist'

const join = () => joinWaitlist('a@b.test', 'hero_section')

test('sends no bearer and gives the confirmation', async () => {
  onPost('/api/add-waitlist-user', ({ bearer, body }) => {
    expect(bearer).toBeNull()
    expect(body).toEqual({ email: 'a@b.test', source: 'hero_section' })
    return { message: 'Welcome.' }
  })
  await expect(join()).resolves.toEqual({ ok: true, message: 'Welcome.' })
})

test.each([[{}], [{ message: '' }], [{ message: 7 }], [null], [{ error: '' }]])(
  'success without words (%j) has some',
  async (body) => {
    onPost('/api/add-waitlist-user', () => HttpResponse.json(body))
    await expect(join()).resolves.toEqual({ ok: true, message: "You're on the waitlist!" })
  },
)

test.each([
  [
    'the words of a refusal',
    () => failure(400, 'Please enter a valid address.'),
    'Please enter a valid address.',
  ],
  ['an error that comes with 200', () => HttpResponse.json({ error: 'Not today.' }), 'Not today.'],
  [
    'an error without a text',
    () => HttpResponse.json({ error: {} }),
    'Something went wrong. Please try again.',
  ],
  [
    'a refusal without words',
    () => new HttpResponse(null, { status: 500 }),
    'Something went wrong. Please try again.',
  ],
  [
    'the page of something in between',
    () => HttpResponse.html('<p>Sign in to this network</p>'),
    'Network error. Please try again.',
  ],
  ['no answer', offline, 'Network error. Please try again.'],
])('a failure: %s', async (_, answer, error) => {
  onPost('/api/add-waitlist-user', answer)
  await expect(join()).resolves.toEqual({ ok: false, error })
})

test.each([
  ['7', 429, { retryAfter: 7 }],
  ['soon', 429, {}],
  ['5', 503, {}],
])('Retry-After: %s with %i', async (value, status, expected) => {
  onPost('/api/add-waitlist-user', () =>
    HttpResponse.json({ error: 'Slowly.' }, { status, headers: { 'Retry-After': value } }),
  )
  await expect(join()).resolves.toEqual({ ok: false, error: 'Slowly.', ...expected })
})

test('waits for an answer no longer than 15 seconds', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let outcome: unknown
  vi.stubGlobal(
    'fetch',
    (_: string, { signal }: RequestInit) =>
      new Promise((_, reject) =>
        signal?.addEventListener('abort', () => reject(new Error('aborted'))),
      ),
  )
  void join().then((result) => (outcome = result))
  await vi.advanceTimersByTimeAsync(14_900)
  expect(outcome).toBeUndefined()
  await vi.advanceTimersByTimeAsync(200)
  expect(outcome).toEqual({ ok: false, error: 'Network error. Please try again.' })
  vi.useRealTimers()
})
