import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Session } from '@/lib/api/types'
import { aSession } from '@/testing/session'
import { type CallbackOutcome, readCallbackRequest, runCallback } from './callback-flow'

const APP = 'fledge://auth/callback'
const ORIGIN = 'http://localhost:8080'
const session = aSession()

function jwt(payload: unknown): string {
  const encoded = Buffer.from(JSON.stringify(payload)).toString('base64url')
  return `header.${encoded}.signature`
}

interface Run {
  query?: Record<string, string>
  hash?: Record<string, string>
  referrer?: string
  /** Answers to the session reads, the last one repeated. */
  sessions?: (Session | null)[]
}

/** Runs the flow under fake time; resolves to its outcome, when it came, and the reads it took. */
async function run({ query = {}, hash = {}, referrer = '', sessions = [null] }: Run) {
  const address = new URL(`${ORIGIN}/auth/callback`)
  address.search = new URLSearchParams(query).toString()
  address.hash = new URLSearchParams(hash).toString()
  const reads: number[] = []
  const started = Date.now()
  let result: { outcome: CallbackOutcome; after: number } | undefined
  void runCallback(readCallbackRequest(address, referrer), {
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    readSession: async () => {
      reads.push(Date.now() - started)
      return sessions[Math.min(reads.length, sessions.length) - 1] ?? null
    },
  }).then((outcome) => {
    result = { outcome, after: Date.now() - started }
  })
  await vi.runAllTimersAsync()
  if (!result) throw new Error('The flow did not end')
  return { ...result, reads }
}

/** The link's address and its parameters, wherever they stand. */
function opened(outcome: CallbackOutcome) {
  if (outcome.kind !== 'app') throw new Error(`Ended with ${outcome.kind}`)
  const [link, text] = outcome.url.split(/[?#]/)
  const where = outcome.url.includes('?') ? 'query' : 'fragment'
  return { link, where, values: Object.fromEntries(new URLSearchParams(text)) }
}

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

describe('1. an error in the query', () => {
  const query = { error: 'server_error', error_code: '500', error_description: 'It <b>broke</b>' }

  it('is forwarded to the app, escaped, at once', async () => {
    const { outcome, after, reads } = await run({ query: { ...query, callback: APP, state: 's' } })
    expect(opened(outcome)).toMatchObject({ link: APP, values: { ...query, state: 's' } })
    expect(outcome).toMatchObject({ signedIn: false })
    expect(after).toBe(0)
    expect(reads).toEqual([])
  })

  it('leads home without an app', async () => {
    expect((await run({ query })).outcome).toEqual({ kind: 'page', path: '/' })
  })

  it('leads home with a foreign callback', async () => {
    const { outcome } = await run({ query: { ...query, callback: 'https://evil.example' } })
    expect(outcome).toEqual({ kind: 'page', path: '/' })
  })

  it('is capped', async () => {
    const long = { error: 'x', error_description: 'y'.repeat(10_000), callback: APP }
    const { outcome } = await run({ query: long })
    expect(opened(outcome).values.error_description).toHaveLength(512)
  })

  it('wins over an error and tokens in the hash', async () => {
    const { outcome } = await run({
      query: { ...query, callback: APP },
      hash: { error: 'other', access_token: jwt({ sub: 'u1' }) },
    })
    expect(opened(outcome).values.error).toBe('server_error')
  })
})

describe('2. an error in the hash', () => {
  it('is handled the same way, and wins over tokens', async () => {
    const hash = { error: 'access_denied', access_token: jwt({ sub: 'u1' }) }
    const { outcome } = await run({ query: { callback: APP }, hash })
    expect(opened(outcome).values).toEqual({ error: 'access_denied' })
    expect((await run({ hash })).outcome).toEqual({ kind: 'page', path: '/' })
  })
})

describe('3. tokens in the hash', () => {
  it('go to the app in its fragment, with whom they belong to', async () => {
    const access_token = jwt({ sub: 'u1', email: 'jürgen@fledge.test' })
    const { outcome, reads } = await run({
      query: { callback: APP },
      hash: { access_token, refresh_token: 'r', expires_in: '600', evil: 'x' },
    })
    expect(opened(outcome)).toEqual({
      link: APP,
      where: 'fragment',
      values: {
        access_token,
        refresh_token: 'r',
        expires_in: '600',
        user_id: 'u1',
        email: 'jürgen@fledge.test',
      },
    })
    expect(reads).toEqual([])
  })

  it.each([
    'no-parts',
    'a.!!!.c',
    `a.${'A'.repeat(1_000_000)}.c`,
    jwt({ email: 'no@subject.test' }),
    jwt(null),
    jwt(['sub']),
  ])('are refused when they cannot be read (%#)', async (access_token) => {
    const { outcome } = await run({ query: { callback: APP }, hash: { access_token } })
    expect(outcome).toEqual({ kind: 'refused' })
  })

  it('never go to a foreign callback', async () => {
    const { outcome } = await run({
      query: { callback: 'https://evil.example/auth/callback' },
      hash: { access_token: jwt({ sub: 'u1' }) },
      sessions: [session],
    })
    expect(outcome).toEqual({ kind: 'refused' })
  })
})

describe('4. polling for a session', () => {
  it('waits a second, then hands the session to the app', async () => {
    const { outcome, reads, after } = await run({
      query: { callback: APP, state: 's' },
      sessions: [session],
    })
    expect(opened(outcome)).toMatchObject({
      where: 'fragment',
      values: { access_token: 'token-1', token_type: 'bearer', state: 's' },
    })
    expect(outcome).toMatchObject({ signedIn: true })
    expect(reads).toEqual([1000])
    expect(after).toBe(1000)
  })

  it('follows a redirect half a second after the session was found', async () => {
    const { outcome, reads, after } = await run({
      query: { redirect: '/closed-beta' },
      sessions: [null, null, session],
    })
    expect(outcome).toEqual({ kind: 'page', path: '/closed-beta' })
    expect(reads).toEqual([1000, 2000, 3000])
    expect(after).toBe(3500)
  })

  it.each(['https://evil.example', '//evil.example', '/\\evil', '/auth/callback', 'javascript:1'])(
    'does not follow %s',
    async (redirect) => {
      const { outcome } = await run({ query: { redirect }, sessions: [session] })
      expect(outcome).toEqual({ kind: 'page', path: '/profile' })
    },
  )

  it('goes back to the closed beta if the person came from there', async () => {
    const own = { referrer: `${ORIGIN}/closed-beta`, sessions: [session] }
    expect((await run(own)).outcome).toEqual({ kind: 'page', path: '/closed-beta' })
    const foreign = { referrer: 'https://evil.example/closed-beta', sessions: [session] }
    expect((await run(foreign)).outcome).toEqual({ kind: 'page', path: '/profile' })
  })
})

describe('5. no session', () => {
  it('is checked once more after three seconds when the app waits', async () => {
    const { outcome, reads } = await run({
      query: { callback: APP },
      sessions: [null, null, null, session],
    })
    expect(reads).toEqual([1000, 2000, 3000, 6000])
    expect(outcome.kind).toBe('app')
  })

  it('leads home', async () => {
    expect(await run({})).toMatchObject({
      outcome: { kind: 'page', path: '/' },
      after: 3000,
    })
    expect((await run({ query: { callback: APP } })).outcome).toEqual({ kind: 'page', path: '/' })
  })
})
