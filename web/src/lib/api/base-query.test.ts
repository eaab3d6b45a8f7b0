import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeStore } from '@/store/store'
import { failure, offline, onGet, onPost, server } from '@/testing/server'
import { HttpResponse, http } from 'msw'
import { retryDelay } from './base-query'
import type { AccessTokens } from './http'
import { staffRoleApi } from './staff-role-api'
import { waitlistApi } from './waitlist-api'

const { getStaffRole } = staffRoleApi.endpoints
const { decideWaitlistUser, getWaitlistUsers } = waitlistApi.endpoints

function tokensOf(current: string | null, renewed: string | null = null) {
  return {
    current: () => current,
    owner: () => 'jane',
    renew: vi.fn<AccessTokens['renew']>(async () => renewed),
  }
}

const entry = {
  waitlistUserId: 'b7c1f3a2-9a52-4f5a-8c1d-2f6f1f0f9e11',
  action: 'approve',
  shown: { status: '', search: '' },
} as const

// What a refused decision reads again.
beforeEach(() =>
  onGet('/api/get-waitlist-users', () => ({
    data: [],
    nextCursor: null,
    undelivered: 0,
    unconfirmed: 0,
  })),
)

describe('the bearer', () => {
  it('goes with calls for a person', async () => {
    const seen: (string | null)[] = []
    onGet('/api/is-admin', ({ bearer }) => {
      seen.push(bearer)
      return { isAdmin: true, isModerator: false }
    })
    const { data } = await makeStore(tokensOf('token-1')).dispatch(getStaffRole.initiate())
    expect(data).toBe('admin')
    expect(seen).toEqual(['token-1'])
  })

  it('is renewed once when it is refused', async () => {
    onGet('/api/is-admin', ({ bearer }) =>
      bearer === 'token-2'
        ? { isAdmin: true, isModerator: false }
        : failure(401, 'Please sign in.'),
    )
    const tokens = tokensOf('token-1', 'token-2')
    const { data } = await makeStore(tokens).dispatch(getStaffRole.initiate())
    expect(data).toBe('admin')
    expect(tokens.renew).toHaveBeenCalledExactlyOnceWith('token-1')
  })

  it('is not renewed twice', async () => {
    onGet('/api/is-admin', () => failure(401, 'Please sign in.'))
    const tokens = tokensOf('token-1', 'token-2')
    const { error } = await makeStore(tokens).dispatch(getStaffRole.initiate())
    expect(error).toMatchObject({ kind: 'answer', status: 401, text: 'Please sign in.' })
    expect(tokens.renew).toHaveBeenCalledTimes(1)
  })

  it('is never repeated for somebody else who has signed in meanwhile', async () => {
    const bearers: (string | null)[] = []
    onPost('/api/approve-waitlist-user', ({ bearer }) => {
      bearers.push(bearer)
      return failure(401, 'Please sign in.')
    })
    let owner = 'jane'
    const renew = async () => {
      owner = 'joe'
      return 'token-of-joe'
    }
    const tokens = { current: () => 'token-1', owner: () => owner, renew }
    const { error } = await makeStore(tokens).dispatch(decideWaitlistUser.initiate(entry))
    expect(error).toEqual({ kind: 'no-session' })
    expect(bearers).toEqual(['token-1'])
  })

  it('is needed: without a session nothing is sent', async () => {
    const { error } = await makeStore(tokensOf(null)).dispatch(getStaffRole.initiate())
    expect(error).toEqual({ kind: 'no-session' })
  })
})

describe('retries', () => {
  beforeEach(() => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('are three for reads, after 1, 2 and 4 s', async () => {
    const at: number[] = []
    onGet('/api/is-admin', () => {
      at.push(Date.now())
      return failure(503, 'Please try again.')
    })
    const done = makeStore(tokensOf('token-1')).dispatch(getStaffRole.initiate())
    await vi.advanceTimersByTimeAsync(20_000)
    await vi.waitFor(() => expect(at).toHaveLength(4))
    const { error } = await done
    expect(error).toMatchObject({ status: 503 })
    const gaps = at.slice(1).map((time, i) => Math.round((time - (at[i] ?? 0)) / 1000))
    expect(gaps.every((gap, i) => gap >= 2 ** i)).toBe(true)
  })

  it('double up to half a minute, spread over a tenth more', () => {
    const delays = (random: number) => {
      vi.spyOn(Math, 'random').mockReturnValue(random)
      return [1, 2, 3, 5, 6, 20].map((attempt) => retryDelay(attempt))
    }
    expect(delays(0)).toEqual([1000, 2000, 4000, 16_000, 30_000, 30_000])
    expect(delays(1)).toEqual([1100, 2200, 4400, 17_600, 30_000, 30_000])
  })

  it('wait as long as the server asks, up to half a minute', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
    expect([retryDelay(1, 7), retryDelay(4, 7), retryDelay(1, 3600)]).toEqual([7000, 8000, 30_000])
    const answer = vi.fn(() => {
      const refused = failure(503, 'Please try again.')
      refused.headers.set('Retry-After', '9')
      return refused
    })
    onGet('/api/is-admin', answer)
    void makeStore(tokensOf('token-1')).dispatch(getStaffRole.initiate())
    await vi.waitFor(() => expect(answer).toHaveBeenCalledTimes(1))
    await vi.advanceTimersByTimeAsync(8000)
    expect(answer).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(2000)
    await vi.waitFor(() => expect(answer).toHaveBeenCalledTimes(2))
  })

  it('are none for writes', async () => {
    const answer = vi.fn(() => failure(503, 'Please try again.'))
    onPost('/api/approve-waitlist-user', answer)
    await makeStore(tokensOf('token-1')).dispatch(decideWaitlistUser.initiate(entry))
    await vi.advanceTimersByTimeAsync(60_000)
    expect(answer).toHaveBeenCalledTimes(1)
  })

  it('are none when another try cannot help', async () => {
    const answer = vi.fn(() => failure(403, 'Not allowed.'))
    onGet('/api/is-admin', answer)
    await makeStore(tokensOf('token-1')).dispatch(getStaffRole.initiate())
    expect(answer).toHaveBeenCalledTimes(1)
  })
})

describe('problems', () => {
  const decide = () => makeStore(tokensOf('token-1')).dispatch(decideWaitlistUser.initiate(entry))

  it('have a status text where HTTP/2 sends none', async () => {
    onPost('/api/approve-waitlist-user', () => failure(503, 'Please try again.'))
    expect((await decide()).error).toMatchObject({ statusText: 'Service Unavailable' })
  })

  it('have the status of an answer that is not JSON', async () => {
    server.use(
      http.post('*/api/approve-waitlist-user', () =>
        HttpResponse.html('<h1>Bad gateway</h1>', { status: 502 }),
      ),
    )
    const { error } = await decide()
    expect(error).toEqual({ kind: 'answer', status: 502, statusText: 'Bad Gateway' })
  })

  it('are of the network when nobody answers', async () => {
    onPost('/api/approve-waitlist-user', offline)
    expect((await decide()).error).toEqual({ kind: 'network' })
  })
})

describe('the waitlist', () => {
  it('is read a page at a time, with its filter', async () => {
    const asked: string[] = []
    onGet('/api/get-waitlist-users', ({ url }) => {
      asked.push(url.search)
      const nextCursor = url.searchParams.has('cursor') ? null : 'page 2'
      return { data: [], nextCursor, undelivered: 0, unconfirmed: 0 }
    })
    const store = makeStore(tokensOf('token-1'))
    const filter = { status: 'pending', search: 'a+b' } as const
    await store.dispatch(getWaitlistUsers.initiate(filter))
    await store.dispatch(getWaitlistUsers.initiate(filter, { direction: 'forward' }))
    expect(asked).toEqual([
      '?status=pending&search=a%2Bb',
      '?status=pending&search=a%2Bb&cursor=page+2',
    ])
  })
})
