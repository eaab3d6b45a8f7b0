import fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { safeLocation } from './location'

const at = (address: string) => safeLocation(new URL(address, 'https://fledge.example'))

test('carries path, search and hash', () => {
  expect(at('/blog?utm_source=x#faq')).toEqual({
    path: '/blog',
    search: '?utm_source=x',
    hash: '#faq',
  })
})

test.each([
  '/profile?access_token=secret&a=1',
  '/profile?a=1&code=secret',
  '/profile?a=1#access_token=secret&refresh_token=secret',
  '/profile?a=1&email=secret@example.com',
  '/profile?a=1&Refresh_Token=secret',
  '/admin?a=1&search=secret',
  '/blog?a=1&q=secret',
])('leaves out what is sensitive: %s', (address) => {
  expect(JSON.stringify(at(address))).not.toContain('secret')
  expect(at(address)?.search).toBe('?a=1')
})

test.each(['/auth', '/auth/callback?callback=x', '/signin'])('says nothing about %s', (address) => {
  expect(at(address)).toBeNull()
})

test('says something about a page that only begins alike', () => {
  expect(at('/authors')).not.toBeNull()
})

test('no value of a sensitive parameter is left, whatever the address', () => {
  const names = fc
    .tuple(
      anyText(6),
      fc.constantFrom('token', 'CODE', 'state', 'email', 'Session', 'api_key', 'callback'),
      anyText(6),
    )
    .map((parts) => parts.join(''))
  const harmless = fc.tuple(fc.constantFrom('utm_source', 'plan', 'page'), fc.string())
  const pairs = fc.array(fc.oneof(fc.tuple(names, fc.constant('CANARY')), harmless))
  fc.assert(
    fc.property(pairs, pairs, (query, fragment) => {
      const address = new URL('https://fledge.example/profile')
      address.search = new URLSearchParams(query).toString()
      address.hash = new URLSearchParams(fragment).toString()
      expect(JSON.stringify(safeLocation(address))).not.toContain('CANARY')
    }),
  )
})
