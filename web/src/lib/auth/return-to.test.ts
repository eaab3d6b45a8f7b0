import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText } from '@/testing/any-text'
import corpus from '../../../../gateway/internal/returnto/testdata/corpus.json'
import {
  type AppTarget,
  isAppCallback,
  isRedirect,
  isReturnTo,
  returnToApp,
  returnToPage,
} from './return-to'

/** Cases of each property; the long run is `FAST_CHECK_RUNS=1000000 npx vitest run return-to`. */
const numRuns = Number(process.env.FAST_CHECK_RUNS ?? 5000)
const timeout = 30_000 + numRuns
const ORIGIN = 'https://fledge.example'
const LINK = 'fledge://auth/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'

/** The address with the parameters, as the gateway's own test writes it. */
function target(params: Record<string, string>): string {
  return `/auth/callback?${new URLSearchParams(params)}`
}

const pkce = { code_challenge: CHALLENGE, code_challenge_method: 'S256' }

describe('the corpus that the gateway runs as well', () => {
  it.each(corpus.returnTo.accepted)('return_to: admits %j', (text) => {
    expect(isReturnTo(text)).toBe(true)
  })

  it.each(corpus.returnTo.refused)('return_to: refuses %j', (text) => {
    expect(isReturnTo(text)).toBe(false)
  })

  it.each(corpus.redirect.accepted)('redirect: admits %j', (redirect) => {
    expect(isRedirect(redirect)).toBe(true)
    expect(isReturnTo(target({ redirect }))).toBe(true)
  })

  it.each(corpus.redirect.refused)('redirect: refuses %j', (redirect) => {
    expect(isRedirect(redirect)).toBe(false)
    expect(isReturnTo(target({ redirect }))).toBe(false)
  })

  it.each([
    ...corpus.callback.accepted.map((link) => [link, true, true] as const),
    ...corpus.callback.acceptedWithPkce.map((link) => [link, false, true] as const),
    ...corpus.callback.refused.map((link) => [link, false, false] as const),
  ])('callback: %j (bare: %s, with PKCE: %s)', (callback, bare, challenged) => {
    expect(isAppCallback(callback, false)).toBe(bare)
    expect(isAppCallback(callback, true)).toBe(challenged)
    expect(isReturnTo(target({ callback }))).toBe(bare)
    expect(isReturnTo(target({ callback, ...pkce }))).toBe(challenged)
  })
})

/** Text made of what address parsers disagree about, of the corpus with something added, and any. */
const hostile = (() => {
  const pieces = fc.constantFrom(
    ...['/', '\\', '//', '?', '#', '%2f', '%5c', '%00', '@', ':', '.', '..', '\t', '\n', ' ', '&'],
    ...[';', '=', '+', '%', '／', 'evil.com', 'profile', 'admin', 'auth', 'callback', 'redirect='],
    ...['callback=', 'state=', 'code_challenge=', 'code_challenge_method=S256', 'javascript:'],
    ...['https:', 'http://', '127.0.0.1', '[::1]', 'localhost', ':80', ':65536', LINK, CHALLENGE],
  )
  const joined = fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join(''))
  const known = [
    ...corpus.returnTo.accepted,
    ...corpus.callback.accepted,
    ...corpus.callback.acceptedWithPkce,
    ...corpus.redirect.accepted,
  ]
  const changed = fc
    .tuple(fc.constantFrom(...known), fc.nat(), fc.nat(3), fc.oneof(pieces, fc.string()))
    .map(([text, at, cut, added]) => {
      const start = at % (text.length + 1)
      return text.slice(0, start) + added + text.slice(start + cut)
    })
  const values = fc.oneof(fc.constantFrom(...known, CHALLENGE, 'S256', 'abc'), changed)
  const names = ['callback', 'redirect', 'state', 'code_challenge', 'code_challenge_method']
  const right: [string, string][] = [['callback', LINK], ...Object.entries(pkce)]
  const pair = fc.oneof(
    fc.constantFrom(...right),
    fc.tuple(fc.constantFrom(...names), values),
    fc.tuple(fc.constantFrom('callback'), fc.constantFrom(...corpus.callback.acceptedWithPkce)),
  )
  const assembled = fc
    .uniqueArray(pair, { selector: ([name]) => name, minLength: 1, maxLength: 4 })
    .map((pairs) => `/auth/callback?${new URLSearchParams(pairs)}`)
  const afterCallback = fc.oneof(joined, changed).map((text) => `/auth/callback?${text}`)
  const url = fc.webUrl({ withFragments: true, withQueryParameters: true })
  return fc.oneof(assembled, changed, afterCallback, joined, url, anyText())
})()

/** Asserts that `link` opens the app of this very machine, as a browser reads it. */
function expectOurApp(link: string, challenged: boolean): void {
  if (link === LINK) return
  expect(challenged).toBe(true)
  const url = new URL(link)
  expect(['http://127.0.0.1', 'http://[::1]']).toContain(`${url.protocol}//${url.hostname}`)
  expect(url.username + url.password + url.search + url.hash).toBe('')
  expect(url.pathname).toBe('/auth/callback')
  expect(link).toBe(`http://${url.hostname}:${url.port || 80}/auth/callback`)
}

describe('whatever the text', () => {
  it(
    'a return_to leads to the callback page alone, and from there to a page or the app',
    () => {
      fc.assert(
        fc.property(hostile, (text) => {
          if (!isReturnTo(text)) return
          const url = new URL(text, ORIGIN)
          expect(url.origin + url.pathname + url.hash).toBe(`${ORIGIN}/auth/callback`)
          const names = [...url.searchParams.keys()]
          expect(new Set(names).size).toBe(names.length)
          const { redirect, callback } = Object.fromEntries(url.searchParams)
          if (redirect !== undefined) expect(corpus.redirect.accepted).toContain(redirect)
          if (callback !== undefined) expectOurApp(callback, names.includes('code_challenge'))
          expect(redirect !== undefined && callback !== undefined).toBe(false)
        }),
        { numRuns },
      )
    },
    timeout,
  )

  it(
    'a redirect is a page of the site, and a callback opens the app',
    () => {
      fc.assert(
        fc.property(hostile, fc.boolean(), (text, challenged) => {
          if (isRedirect(text)) expect(corpus.redirect.accepted).toContain(text)
          if (isAppCallback(text, challenged)) expectOurApp(text, challenged)
        }),
        { numRuns },
      )
    },
    timeout,
  )
})

describe('own targets', () => {
  const app: AppTarget = { callback: LINK, state: null, challenge: null }

  it.each(corpus.redirect.accepted)('lead to %s', (page) => {
    expect(isReturnTo(returnToPage(page))).toBe(true)
  })

  it('lead to the app, with whatever state it sent', () => {
    expect(returnToApp(app)).toBe('/auth/callback?callback=fledge%3A%2F%2Fauth%2Fcallback')
    const state = fc.string({ minLength: 1, maxLength: 512, unit: 'grapheme-ascii' })
    fc.assert(
      fc.property(state, fc.constantFrom(null, CHALLENGE), (state, challenge) => {
        const text = returnToApp({ ...app, state, challenge })
        expect(isReturnTo(text)).toBe(true)
        expect(new URL(text, ORIGIN).searchParams.get('state')).toBe(state)
      }),
    )
  })
})
