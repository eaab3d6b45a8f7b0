import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { clearAddressBar, takeSignInAddress } from './sign-in-address'

afterEach(() => window.history.replaceState(null, '', '/'))

const names = fc.oneof(
  fc.constantFrom(
    'code',
    'access_token',
    'Refresh_Token',
    'flow',
    '__proto__',
    'callback',
    'state',
  ),
  anyText(12),
)
const addresses = fc
  .tuple(fc.array(fc.tuple(names, fc.constant('SECRET'))), anyText())
  .map(([pairs, hash]) => {
    const url = new URL('/auth/callback', window.location.origin)
    url.search = new URLSearchParams(pairs).toString()
    url.hash = hash
    return url.href
  })

test('nothing but what the page asks for stays in the address bar, whatever stood there', () => {
  fc.assert(
    fc.property(addresses, (address) => {
      window.history.replaceState(null, '', address)
      expect(takeSignInAddress().href).toBe(address)
      const left = new URL(window.location.href)
      expect(left.pathname).toBe('/auth/callback')
      expect(window.location.href).not.toContain('#')
      for (const name of left.searchParams.keys()) expect(['callback', 'state']).toContain(name)
      const before = window.location.href
      clearAddressBar()
      expect(window.location.href).toBe(before)
    }),
  )
})
