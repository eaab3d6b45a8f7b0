import { HttpResponse, http } from 'msw'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { failure, offline, server } from '@/testing/server'
import { type HttpOptions, request, requestJson } from './http'

afterEach(() => void vi.useRealTimers())

function on(answer: (request: Request) => Response | Promise<Response>, method = http.get) {
  server.use(method('*/api/thing', ({ request }) => answer(request)))
}

const call = (options?: HttpOptions) => requestJson('/api/thing', options)

const tokens = (renew: () => Promise<string | null>) => ({
  current: () => 'token-1',
  owner: () => 'jane',
  renew,
})

describe('a call', () => {
  it('sends JSON, the bearer and only the parameters that have a value', async () => {
    let seen: Request | undefined
    on((request) => {
      seen = request.clone()
      return HttpResponse.json({})
    }, http.post)
    const params = { limit: 2, search: 'a+b', cursor: undefined }
    const body = { name: 'Jane' }
    await call({ method: 'POST', params, body, tokens: tokens(async () => null) })
    expect(new URL(seen?.url ?? '').search).toBe('?limit=2&search=a%2Bb')
    expect(seen?.headers.get('Content-Type')).toBe('application/json')
    expect(seen?.headers.get('Authorization')).toBe('Bearer token-1')
    expect(seen?.credentials).toBe('same-origin')
    expect(await seen?.json()).toEqual(body)
  })

  it('sends a file as it is', async () => {
    let seen: [string, string | null] | undefined
    on(async (request) => {
      seen = [await request.text(), request.headers.get('Content-Type')]
      return HttpResponse.json({})
    }, http.post)
    const body = new TextEncoder().encode('a;b').buffer
    await call({ method: 'POST', body, headers: { 'Content-Type': 'text/csv' } })
    expect(seen).toEqual(['a;b', 'text/csv'])
  })

  it('takes an empty answer for null', async () => {
    on(() => new HttpResponse(null, { status: 204 }))
    await expect(call()).resolves.toBeNull()
  })

  it.each([
    ['nobody answers', offline],
    ['the answer is not JSON', () => HttpResponse.html('<h1>Welcome to this hotel</h1>')],
  ])('fails as the network does when %s', async (_, answer) => {
    on(answer)
    await expect(call()).rejects.toEqual({ kind: 'network' })
  })

  it('fails with the words of the server', async () => {
    on(() => failure(403, 'Not allowed.'))
    await expect(call()).rejects.toMatchObject({
      kind: 'answer',
      status: 403,
      text: 'Not allowed.',
    })
  })

  it.each([
    ['headers', undefined, 15_000],
    ['body', { timeout: 5000 }, 5000],
  ])('ends when its time is over, the %s not there yet', async (part, options, time) => {
    vi.useFakeTimers()
    // A browser fails what is read of a body when the call is aborted; the mocked server does not.
    vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) => {
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new DOMException('Aborted', 'AbortError')))
      })
      const response = new Response(new ReadableStream({ pull: () => aborted }))
      return part === 'body' ? Promise.resolve(response) : aborted
    })
    const outcome = expect(call(options)).rejects.toEqual({ kind: 'network' })
    await vi.advanceTimersByTimeAsync(time - 1)
    expect(vi.getTimerCount()).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    await outcome
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends when its caller does not want it any more', async () => {
    on(() => new Promise<Response>(() => {}))
    const aborter = new AbortController()
    const outcome = expect(call({ signal: aborter.signal })).rejects.toEqual({ kind: 'network' })
    aborter.abort()
    await outcome
  })
})

describe('a refused bearer', () => {
  const bearers: (string | null)[] = []
  afterEach(() => void bearers.splice(0))

  function refuseFirst() {
    on((request) => {
      const bearer = request.headers.get('Authorization')
      bearers.push(bearer)
      return bearer === 'Bearer token-2'
        ? new HttpResponse('file')
        : failure(401, 'Please sign in.')
    })
  }
  const read = (renew: () => Promise<string | null>) =>
    request('/api/thing', { tokens: tokens(renew) }, (response) => response.text())

  it('is renewed, and the call repeated', async () => {
    refuseFirst()
    await expect(read(async () => 'token-2')).resolves.toBe('file')
    expect(bearers).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  it.each([
    ['the session is over', async () => null, 'no-session'],
    ['nobody can tell', () => Promise.reject(new Error('503')), 'network'],
  ])('fails without another call when %s', async (_, renew, kind) => {
    refuseFirst()
    await expect(read(renew)).rejects.toEqual({ kind })
    expect(bearers).toEqual(['Bearer token-1'])
  })

  it('is nothing without a session: nothing is sent', async () => {
    const nobody = { current: () => null, owner: () => null, renew: async () => null }
    await expect(call({ tokens: nobody })).rejects.toEqual({ kind: 'no-session' })
  })
})
