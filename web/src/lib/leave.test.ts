import { expect, test, vi } from 'vitest'
import { leaveTo } from './leave'

test('the page is left for another address', () => {
  const assign = vi.fn()
  vi.stubGlobal('location', { assign })
  leaveTo('fledge://auth/callback?code=c')
  expect(assign).toHaveBeenCalledExactlyOnceWith('fledge://auth/callback?code=c')
  vi.unstubAllGlobals()
})
