import { beforeEach, expect, test, vi } from 'vitest'
import { preloadSession } from './preload-session'

beforeEach(() => {
  vi.restoreAllMocks()
  document.head.innerHTML = ''
})

function preloadedWith(cookie: string) {
  vi.spyOn(document, 'cookie', 'get').mockReturnValue(cookie)
  preloadSession()
  return document.head.querySelector('link')
}

test.each(['fledge_hint=J', 'a=b; fledge_hint="J"'])('%s: the session is requested', (cookie) => {
  const link = preloadedWith(cookie)
  expect(link).toHaveAttribute('rel', 'preload')
  expect(link).toHaveAttribute('href', '/api/auth/session')
})

test.each(['', 'a=b', 'not_fledge_hint=J'])('%j: nobody seems to be signed in', (cookie) => {
  expect(preloadedWith(cookie)).toBeNull()
})

test('it needs nothing but the browser', () => {
  expect(() => new Function(`(${preloadSession.toString()})`)).not.toThrow()
})
