import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { anyText } from '@/testing/any-text'
import { clearSignInAddress, takeSignInAddress } from './sign-in-address'

afterEach(() => {
  window.history.replaceState(null, '', '/')
  delete window.takeSignInAddress
})

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
      clearSignInAddress()
      expect(window.location.href).toBe(before)
      delete window.takeSignInAddress
    }),
  )
})

test('the script in the head of a page is the text of the function, and keeps the address for one caller', () => {
  window.history.replaceState(
    { kept: 1 },
    '',
    '/auth/callback?state=s&code=SECRET#access_token=SECRET',
  )
  const opened = window.location.href

  window.eval(`(${clearSignInAddress.toString()})()`)
  expect(window.location.href).toBe(`${window.location.origin}/auth/callback?state=s`)
  expect(window.history.state).toEqual({ kept: 1 })
  expect(takeSignInAddress().href).toBe(opened)
  expect(takeSignInAddress().href).toBe(window.location.href)
})

test('an address that a page got later is cleared as well', () => {
  clearSignInAddress()
  takeSignInAddress()
  window.history.replaceState(null, '', '/auth/callback?code=SECRET')
  expect(takeSignInAddress().search).toBe('?code=SECRET')
  expect(window.location.search).toBe('')
})
