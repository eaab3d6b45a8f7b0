import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { User } from '@/lib/api/types'
import { aSession } from '@/testing/session'
import {
  type CallbackOutcome,
  readCallbackRequest,
  runCallback,
  type SessionAnswer,
} from './callback-flow'

const APP = 'fledge://auth/callback'
const LOOPBACK = 'http://127.0.0.1:49152/auth/callback'
const pkce = {
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}
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
  sessions?: SessionAnswer[]
  /** Whether the installation lets tokens pass, or does not say. */
  tokens?: boolean | 'unreachable'
  /** Whether the person has just signed in for the app. */
  just?: boolean
  /** What the API says of the token; the last one is repeated. */
  owners?: (User | null | 'unreachable')[]
}

/** Runs the flow under fake time; resolves to its outcome, when it came, and the reads it took. */
async function run({
  query = {},
  hash = {},
  referrer = '',
  sessions = [null],
  tokens = true,
  just = false,
  owners = [session.user],
}: Run) {
  const address = new URL(`${ORIGIN}/auth/callback`)
  address.search = new URLSearchParams(query).toString()
  address.hash = new URLSearchParams(hash).toString()
  const reads: number[] = []
  const asked: string[] = []
  const started = Date.now()
  let result: { outcome: CallbackOutcome; after: number } | undefined
  void runCallback(readCallbackRequest(address, referrer), {
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    readSession: async () => {
      reads.push(Date.now() - started)
      return sessions[Math.min(reads.length, sessions.length) - 1] ?? null
    },
    mayForwardTokens: async () => {
      if (tokens === 'unreachable') throw new Error('503')
      return tokens
    },
    signedInFor: (_, made) => just && made === sessions.at(-1),
    tokenOwner: async (token) => {
      asked.push(token)
      const owner = owners[Math.min(asked.length, owners.length) - 1] ?? null
      if (owner === 'unreachable') throw new Error('503')
      return owner
    },
  }).then((outcome) => {
    result = { outcome, after: Date.now() - started }
  })
  await vi.runAllTimersAsync()
  if (!result) throw new Error('The flow did not end')
  return { ...result, reads, asked }
}

/** The link's address and its parameters, wherever they stand. */
function opened(outcome: CallbackOutcome) {
  if (outcome.kind !== 'failed' && outcome.kind !== 'tokens')
    throw new Error(`Ended with ${outcome.kind}`)
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
    expect(outcome).toMatchObject({ kind: 'failed', atOnce: true })
    expect(after).toBe(0)
    expect(reads).toEqual([])
  })

  it('is not forwarded again unasked', async () => {
    const again = await run({ query: { ...query, callback: APP, opened: '1' } })
    expect(again.outcome).toMatchObject({ kind: 'failed', atOnce: false })
  })

  it('leads home without an app', async () => {
    expect((await run({ query })).outcome).toEqual({ kind: 'page', path: '/' })
  })

  it.each<Record<string, string>>([
    { callback: 'https://evil.example' },
    { callback: LOOPBACK },
    { callback: LOOPBACK, ...pkce, code_challenge_method: 'plain' },
    { callback: APP, state: 'a\nb' },
  ])('leads home with a request that the app cannot have made: %j', async (app) => {
    const { outcome } = await run({ query: { ...query, ...app } })
    expect(outcome).toEqual({ kind: 'page', path: '/' })
  })

  it('is forwarded to a loopback address with a challenge', async () => {
    const { outcome } = await run({ query: { ...query, callback: LOOPBACK, ...pkce, state: 's' } })
    expect(opened(outcome)).toEqual({
      link: LOOPBACK,
      where: 'query',
      values: { ...query, state: 's' },
    })
  })

  it('stays text on its way', async () => {
    const error_description = '</script>\r\nLocation: https://evil.example#&state=other'
    const { outcome } = await run({ query: { error: '<b>', error_description, callback: APP } })
    expect(opened(outcome).values).toEqual({ error: '<b>', error_description })
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
  it('go to the app in its fragment when the API knows whom they belong to, and the person agrees', async () => {
    const owner = { ...session.user, id: 'u1', email: 'jürgen@fledge.test' }
    const { outcome, reads, asked } = await run({
      query: { callback: APP },
      hash: { access_token: 'token', refresh_token: 'r', expires_in: '600', evil: 'x' },
      owners: [owner],
      just: true,
    })
    expect(opened(outcome)).toEqual({
      link: APP,
      where: 'fragment',
      values: {
        access_token: 'token',
        refresh_token: 'r',
        expires_in: '600',
        user_id: 'u1',
        email: 'jürgen@fledge.test',
      },
    })
    expect(outcome).toMatchObject({ kind: 'tokens', owner })
    expect(asked).toEqual(['token'])
    expect(reads).toEqual([])
  })

  it('win over a session, but not over an error in the query', async () => {
    const hash = { access_token: 'token' }
    const owners = [{ ...session.user, id: 'u1' }]
    const given = { query: { callback: APP }, hash, owners, sessions: [session] }
    expect(opened((await run(given)).outcome).values.user_id).toBe('u1')
    const failed = { ...given, query: { callback: APP, error: 'x' } }
    expect(opened((await run(failed)).outcome).values).toEqual({ error: 'x' })
  })

  it('stay here where tokens are switched off', async () => {
    const hash = { access_token: jwt({ sub: 'u1' }) }
    const { outcome } = await run({ query: { callback: APP }, hash, tokens: false })
    expect(outcome).toEqual({ kind: 'refused', refusal: 'tokens-off' })
  })

  it.each([
    { callback: APP, ...pkce },
    { callback: LOOPBACK, ...pkce },
  ])('are not for an app that waits for a code: %j', async (query) => {
    const hash = { access_token: jwt({ sub: 'u1' }) }
    const { outcome } = await run({ query, hash, sessions: [session] })
    expect(outcome).toEqual({ kind: 'refused', refusal: 'invalid' })
  })

  it('are nothing to a page of the site', async () => {
    const hash = { access_token: jwt({ sub: 'u1' }) }
    const { outcome } = await run({ query: { redirect: '/admin' }, hash, sessions: [session] })
    expect(outcome).toEqual({ kind: 'page', path: '/admin' })
  })

  it('are refused when the API does not know them, whatever they say of themselves', async () => {
    const hash = { access_token: jwt({ sub: 'u1', email: 'jane@fledge.test' }) }
    const { outcome, after } = await run({ query: { callback: APP }, hash, owners: [null] })
    expect(outcome).toEqual({ kind: 'refused', refusal: 'not-verified' })
    expect(after).toBe(0)
  })

  it('are neither refused nor passed on when the API does not answer, which is asked three times', async () => {
    const hash = { access_token: 'token' }
    const { outcome, asked } = await run({
      query: { callback: APP },
      hash,
      owners: ['unreachable'],
    })
    expect(outcome).toEqual({ kind: 'unverified' })
    expect(asked).toHaveLength(3)
    const late = await run({
      query: { callback: APP },
      hash,
      owners: ['unreachable', session.user],
    })
    expect(late.outcome.kind).toBe('tokens')
  })

  it('are neither refused nor passed on while it is unknown whether they may be', async () => {
    const { outcome, asked, after } = await run({
      query: { callback: APP },
      hash: { access_token: 'token' },
      tokens: 'unreachable',
    })
    expect(outcome).toEqual({ kind: 'unverified' })
    expect(asked).toEqual([])
    expect(after).toBe(2000)
  })

  it.each(['access_token', 'refresh_token'])(
    'are refused unasked when the %s is longer than any of ours',
    async (name) => {
      const hash = { access_token: 'token', [name]: 'r'.repeat(1_000_000) }
      const { outcome, asked } = await run({ query: { callback: APP }, hash })
      expect(outcome).toEqual({ kind: 'refused', refusal: 'not-verified' })
      expect(asked).toEqual([])
    },
  )

  it.each(['€', 'two words', 'line\nfeed'])(
    'are refused unasked with what no token has: %j',
    async (access_token) => {
      const { outcome, asked } = await run({ query: { callback: APP }, hash: { access_token } })
      expect(outcome).toEqual({ kind: 'refused', refusal: 'not-verified' })
      expect(asked).toEqual([])
    },
  )

  it('never go to a foreign callback', async () => {
    const { outcome } = await run({
      query: { callback: 'https://evil.example/auth/callback' },
      hash: { access_token: jwt({ sub: 'u1' }) },
      sessions: [session],
    })
    expect(outcome).toEqual({ kind: 'refused', refusal: 'invalid' })
  })
})

describe('4. polling for a session', () => {
  it.each([
    { callback: APP, state: 's' },
    { callback: APP, state: 's', ...pkce },
    { callback: LOOPBACK, state: 's', ...pkce },
  ])('waits a second, then asks whether the app may have it: %j', async (query) => {
    const { outcome, reads, after } = await run({ query, sessions: [session] })
    const challenge = 'code_challenge' in query ? query.code_challenge : null
    expect(outcome).toEqual({
      kind: 'hand-off',
      app: { callback: query.callback, state: 's', challenge },
      atOnce: false,
    })
    expect(reads).toEqual([1000])
    expect(after).toBe(1000)
  })

  it.each([
    [APP, true],
    [LOOPBACK, false],
  ])('hands over to %s after a sign-in for it without asking: %s', async (callback, atOnce) => {
    const query = { callback, state: 's', ...pkce }
    const { outcome } = await run({ query, sessions: [null, session], just: true })
    expect(outcome).toMatchObject({ kind: 'hand-off', atOnce })
  })

  it('leads to the app even if a redirect is asked for as well', async () => {
    const query = { callback: APP, redirect: '/admin' }
    const { outcome, after } = await run({ query, sessions: [null, session] })
    expect(outcome.kind).toBe('hand-off')
    expect(after).toBe(2000)
  })

  it.each([
    ['https://evil.example', {}],
    [LOOPBACK, {}],
    [APP, { code_challenge: 'short', code_challenge_method: 'S256' }],
    [APP, { code_challenge: pkce.code_challenge }],
    [APP, { code_challenge_method: 'S256' }],
    [APP, { state: '' }],
    [APP, { state: 'x'.repeat(513) }],
    ['', {}],
  ])('refuses %s with %j at once', async (callback, others) => {
    const { outcome, reads } = await run({ query: { callback, ...others }, sessions: [session] })
    expect(outcome).toEqual({ kind: 'refused', refusal: 'invalid' })
    expect(reads).toEqual([])
  })

  it('refuses a second callback', async () => {
    const address = new URL(`${ORIGIN}/auth/callback?callback=${APP}&callback=${APP}`)
    expect(readCallbackRequest(address, '').app).toBe('invalid')
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
    expect(outcome.kind).toBe('hand-off')
  })

  it('is not asked for a fifth time', async () => {
    const { reads, after } = await run({ query: { callback: APP } })
    expect(reads).toEqual([1000, 2000, 3000, 6000])
    expect(after).toBe(6000)
  })

  it('leads home', async () => {
    expect(await run({})).toMatchObject({
      outcome: { kind: 'page', path: '/' },
      after: 3000,
    })
    expect((await run({ query: { callback: APP } })).outcome).toEqual({ kind: 'page', path: '/' })
  })
})

describe('a server that does not answer', () => {
  it.each([
    [{}, [1000, 2000, 3000]],
    [{ redirect: '/admin' }, [1000, 2000, 3000]],
    [{ callback: APP }, [1000, 2000, 3000, 6000]],
  ])('is not a sign-out: %j', async (query, at) => {
    const { outcome, reads } = await run({ query, sessions: ['unreachable'] })
    expect(outcome).toEqual({ kind: 'unreachable' })
    expect(reads).toEqual(at)
  })

  it('may answer at the next try', async () => {
    const sessions = ['unreachable' as const, session]
    const { outcome } = await run({ query: { callback: APP }, sessions })
    expect(outcome.kind).toBe('hand-off')
    const signedOut = await run({ sessions: ['unreachable', 'unreachable', null] })
    expect(signedOut.outcome).toEqual({ kind: 'page', path: '/' })
  })
})

describe('an account that is disabled', () => {
  it('is told to the app, at once and once', async () => {
    const query = { callback: APP, state: 's' }
    const { outcome, reads } = await run({ query, sessions: [null, 'disabled'] })
    const values = { error: 'server_error', error_code: 'account_disabled', state: 's' }
    expect(opened(outcome)).toMatchObject({ link: APP, values })
    expect(outcome).toMatchObject({ kind: 'failed', atOnce: true })
    expect(reads).toEqual([1000, 2000])
    const again = await run({ query: { ...query, opened: '1' }, sessions: ['disabled'] })
    expect(again.outcome).toMatchObject({ kind: 'failed', atOnce: false })
  })

  it.each<Record<string, string>>([{}, { redirect: '/admin' }])(
    'is told to the person: %j',
    async (query) => {
      const { outcome, reads } = await run({ query, sessions: ['disabled'] })
      expect(outcome).toEqual({ kind: 'refused', refusal: 'disabled' })
      expect(reads).toEqual([1000])
    },
  )
})
