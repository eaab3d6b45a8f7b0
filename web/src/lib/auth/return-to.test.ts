import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import corpus from '../../../../gateway/internal/returnto/testdata/corpus.json'
import { isAppCallback, isRedirect, isReturnTo, returnToApp, returnToPage } from './return-to'

describe('isReturnTo', () => {
  it.each(corpus.returnTo.accepted)('admits %j', (target) => {
    expect(isReturnTo(target)).toBe(true)
  })

  it.each(corpus.returnTo.refused)('refuses %j', (target) => {
    expect(isReturnTo(target)).toBe(false)
  })

  it('refuses what is too long', () => {
    expect(isReturnTo(`/profile?paywall=${'x'.repeat(2048)}`)).toBe(false)
  })

  it('admits nothing that a browser would read as another place', () => {
    const origin = 'https://fledge.example'
    const pieces = fc.constantFrom(
      '/',
      '\\',
      '//',
      '?',
      '#',
      '%2f',
      '%5c',
      '@',
      ':',
      '.',
      '..',
      '\t',
      'evil.com',
      'profile',
      'admin',
      'auth',
      'callback',
      'redirect=',
      'javascript:',
      'https:',
      '&',
      ';',
      '／',
    )
    const targets = fc.oneof(
      fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join('')),
      fc.tuple(fc.constantFrom(...corpus.returnTo.accepted), fc.string()).map((parts) => parts.join('')),
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      fc.string(),
    )
    fc.assert(
      fc.property(targets, (target) => {
        if (!isRedirect(target)) return
        const url = new URL(target, origin)
        expect(url.origin).toBe(origin)
        expect(url.hash).toBe('')
        expect(['/', '/profile', '/closed-beta', '/admin']).toContain(url.pathname)
      }),
      { numRuns: 20_000 },
    )
  })

  it('admits its own targets', () => {
    expect(isReturnTo(returnToPage('/profile?paywall=true'))).toBe(true)
    expect(isReturnTo(returnToApp('fledge://auth/callback', 'a b&c'))).toBe(true)
    expect(isReturnTo(returnToApp('fledge://auth/callback', null))).toBe(true)
  })
})

describe('isAppCallback', () => {
  it('asks for PKCE on a loopback address', () => {
    const link = 'http://127.0.0.1:49152/auth/callback'
    expect(isAppCallback(link, true)).toBe(true)
    expect(isAppCallback(link, false)).toBe(false)
  })

  it('admits no other text than the registered link without PKCE', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl()), (link) => !isAppCallback(link, false)),
    )
  })
})
