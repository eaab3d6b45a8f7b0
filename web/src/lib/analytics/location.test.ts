import { expect, test } from 'vitest'
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
