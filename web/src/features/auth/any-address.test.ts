import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { paths } from '@/config/paths'
import { isReturnTo, returnToApp } from '@/lib/auth/return-to'
import type { SignInFlow } from '@/lib/api/types'
import { aSession } from '@/testing/session'
import { anyText } from '@/testing/any-text'
import { readAppRequest, takesTokens, withCode, withError } from './app-request'
import { readCallbackRequest, runCallback } from './callback-flow'
import { pendingSignIn, rememberApp } from './pending-app'
import { signInNotice } from './sign-in-notice'
import { canBeOurs, forwardTokens } from './token-fragment'

/** What anybody may write into an address, and what the app writes into its own. */
const ORIGIN = 'http://localhost:8080'
const APP = 'fledge://auth/callback'
const LOOPBACK = 'http://127.0.0.1:49152/auth/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const JWT = `e30.${btoa('{"sub":"person","email":"jane@fledge.test"}')}.e30`

const names = fc.constantFrom(
  ...['callback', 'redirect', 'state', 'code_challenge', 'code_challenge_method', 'provider'],
  ...['error', 'error_code', 'error_description', 'access_token', 'refresh_token', 'code'],
)
const values = fc.oneof(
  fc.constantFrom(APP, LOOPBACK, CHALLENGE, 'S256', JWT, 'state', '/profile', '/closed-beta'),
  fc.constantFrom('https://evil.example', '//evil.example', 'javascript:alert(1)', `${APP}/../x`),
  fc.constantFrom('<img src=x onerror=alert(1)>', 'a\r\nb', '__proto__', 'x'.repeat(9000)),
  anyText(40),
)
const pairs = fc.array(fc.tuple(names, values), { maxLength: 7 })
/** Requests as the app makes them, so that the rest of the flow is reached as well. */
const asTheApp = fc.tuple(
  fc.constantFrom(
    [['callback', APP]],
    [
      ['callback', LOOPBACK],
      ['code_challenge', CHALLENGE],
      ['code_challenge_method', 'S256'],
    ],
  ),
  fc.array(fc.tuple(fc.constantFrom('error', 'error_description', 'access_token'), values), {
    maxLength: 3,
  }),
)
const queries = fc
  .oneof(
    pairs,
    asTheApp.map(([own, more]) => [...own, ...more]),
  )
  .map((list) => new URLSearchParams(list as [string, string][]).toString())

const ownPages: string[] = [paths.home, paths.profile, paths.closedBeta, paths.admin]

/** Asserts that `url` is the app's own link with parameters, as a browser reads it. */
function expectApp(url: string): void {
  const [, link = ''] = /^([^?#]*)/.exec(url) ?? []
  expect([APP, LOOPBACK]).toContain(link)
  expect(URL.canParse(url)).toBe(true)
  expect(url).toMatch(/^[\x21-\x7e]+$/)
}

describe('whatever the address', () => {
  beforeEach(() => sessionStorage.clear())

  it('a sign-in ends at a page of the site, at the app, or is refused', async () => {
    const referrers = fc.constantFrom(
      `${ORIGIN}/closed-beta`,
      'https://evil.example/closed-beta',
      'x',
      '',
    )
    const sessions = fc.constantFrom(aSession(), null, 'unreachable' as const)
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(queries, pairs, referrers, sessions, fc.boolean(), fc.boolean()),
        async ([query, fragment, referrer, session, allowed, just]) => {
          const address = new URL(`${ORIGIN}/auth/callback?${query}`)
          address.hash = new URLSearchParams(fragment).toString()
          const outcome = await runCallback(readCallbackRequest(address, referrer), {
            readSession: async () => session,
            mayForwardTokens: async () => allowed,
            signedInFor: () => just,
            tokenOwner: async (token) => (token === JWT ? aSession().user : null),
            wait: async () => {},
          })
          if (outcome.kind === 'failed' || outcome.kind === 'tokens') expectApp(outcome.url)
          if (outcome.kind === 'hand-off') expectApp(outcome.app.callback)
          if (outcome.kind === 'page')
            expect([...ownPages, '/profile?paywall=true']).toContain(outcome.path)
          // Tokens of an address reach the app alone: at its registered link, if they may, and if they are ours.
          if (outcome.kind === 'tokens') {
            expect(allowed).toBe(true)
            expect(outcome.url.startsWith(`${APP}#`)).toBe(true)
            expect(new URLSearchParams(outcome.url.split('#')[1]).get('access_token')).toBe(JWT)
          }
          if (outcome.kind === 'hand-off' && outcome.atOnce) {
            expect(just).toBe(true)
            expect(outcome.app.callback).toBe(APP)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  it('an app is told what it may be told, in parameters that cannot grow', () => {
    fc.assert(
      fc.property(queries, values, values, (query, error, error_description) => {
        const app = readAppRequest(new URLSearchParams(query))
        if (!app || app === 'invalid') return
        for (const url of [withError(app, { error, error_description }), withCode(app, error)]) {
          expectApp(url)
          expect(new URL(url).searchParams.get('state')).toBe(app.state)
        }
        const told = new URL(withError(app, { error, error_description })).searchParams
        for (const value of told.values()) expect(value.length).toBeLessThanOrEqual(512)
        expect(isReturnTo(returnToApp(app))).toBe(true)
        const tokens = new URLSearchParams({ access_token: error })
        if (canBeOurs(tokens)) expectApp(forwardTokens(app, tokens, aSession().user))
        expect(canBeOurs(tokens)).toBe(error.length <= 8192 && /^[!-~]*$/.test(error))
        expect(takesTokens(app)).toBe(app.challenge === null && app.callback === APP)
      }),
      { numRuns: 500 },
    )
  })

  it('a tab that kept something else than an app knows of none', () => {
    const app = readAppRequest(new URLSearchParams({ callback: APP, state: 's' }))
    if (!app || app === 'invalid') throw new Error('no app')
    rememberApp(app, 'device')
    const [key = ''] = Object.keys(sessionStorage)
    expect(pendingSignIn()).toEqual({ app, before: 'device' })
    fc.assert(
      fc.property(fc.oneof(fc.json(), anyText()), (text) => {
        sessionStorage.setItem(key, text)
        expect(pendingSignIn()).toBeNull()
      }),
    )
    fc.assert(
      fc.property(queries, fc.oneof(fc.integer(), fc.double()), (search, age) => {
        sessionStorage.setItem(
          key,
          JSON.stringify({ value: { request: search }, at: Date.now() - age }),
        )
        const found = pendingSignIn()
        if (found) expectApp(found.app.callback)
        if (found) expect(age).toBeLessThanOrEqual(30 * 60_000)
      }),
    )
  })

  it('another try of a sign-in leads where a sign-in may', () => {
    const addresses = fc.oneof(
      values,
      anyText().map((text) => `https://${text}`),
      queries.map((query) => `/auth/callback?${query}`),
    )
    fc.assert(
      fc.property(addresses, (return_to) => {
        const flow = { id: 'f', return_to, ui: { nodes: [] } } as unknown as SignInFlow
        const { start } = signInNotice(flow)
        expect('return_to' in start && isReturnTo(start.return_to as string)).toBe(true)
      }),
    )
  })
})
