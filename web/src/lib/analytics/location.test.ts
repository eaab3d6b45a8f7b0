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
  '/closed-beta?a=1#claim=secret',
  '/admin?a=1&search=secret',
  '/admin?a=1&person=secret',
  '/blog?a=1&q=secret',
])('leaves out what is sensitive: %s', (address) => {
  expect(JSON.stringify(at(address))).not.toContain('secret')
  expect(at(address)?.search).toBe('?a=1')
})

test.each([
  ['/secret@example.com', '/…'],
  ['/users/secret%40example.com/edit', '/users/…/edit'],
  ['/profile?ref=secret@example.com&a=1', '/profile?a=1'],
  ['/profile?ref=secret%2540example.com&a=1', '/profile?a=1'],
  ['/profile?eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0', '/profile'],
  ['/profile?x=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0', '/profile'],
  ['/profile#eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZWNyZXQifQ.c2VjcmV0', '/profile'],
  ['/profile#secret@example.com', '/profile'],
  ['/profile?jwt=1&auth=1&sid=1&phone=1', '/profile'],
  ['/profile?ticket=6f1c9a52-3d5e-4c1b-9a55-0a5f5d1c2b3a', '/profile'],
  ['/profile?ref=Xb3kLm9QpZ', '/profile'],
  ['/profile?ref=deadbeef00deadbeef', '/profile'],
  ['/reset/0123456789abcdef0123456789abcdef', '/reset/…'],
  ['/call/4915112345678', '/call/…'],
])('leaves out what looks personal, wherever it stands: %s', (address, left) => {
  const page = at(address)!
  expect(page.path + page.search + page.hash).toBe(left)
})

test.each([
  '/blog/why-no-code-app-builders-fail-app-store-2025?tag=App+Store',
  '/admin?tab=users&role=moderator&page=12',
  '/?utm_campaign=black_friday_2026_designers&utm_source=newsletter#founder-support',
  '/profile?success=true&plan=Business&price=%2450',
])('leaves words and numbers as they are: %s', (address) => {
  const page = at(address)!
  expect(page.path + page.search + page.hash).toBe(address)
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
