// @vitest-environment node
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { insertFirst } from './early-script.mjs'
import { bundle } from './inline-script.mjs'
import { isSignIn } from './pages.mjs'

const html =
  '<!DOCTYPE html><html><head><meta charSet="utf-8"/><link rel="stylesheet" href="/a.css"/><script src="/a.js" async=""></script></head><body></body></html>'

test('stands before every other script and style sheet', () => {
  const result = insertFirst(html, 'take()')
  expect(result).toContain('<meta charSet="utf-8"/><script>take()</script><link')
  expect(result.replace('<script>take()</script>', '')).toBe(html)
})

test('cannot end its own element', () => {
  expect(insertFirst(html, "'</script>'")).toContain("'<\\/script>'</script>")
})

test('refuses a page that it does not know its way in', () => {
  expect(() => insertFirst('<html></html>', '')).toThrow('charset')
})

test.each([
  ['/auth', true],
  ['/auth/callback', true],
  ['/auth/error', true],
  ['/signin', false],
  ['/', false],
  ['/authors', false],
])('%s is a sign-in page: %s', (route, expected) => {
  expect(isSignIn(route)).toBe(expected)
})

/** Runs the bundle as the browser would, at `href`; returns the window and what the history saw. */
async function open(href) {
  const seen = []
  const location = new URL(href)
  const window = {
    location,
    history: {
      state: null,
      replaceState(state, _, address) {
        seen.push(address)
        location.href = new URL(address, location).href
      },
    },
  }
  runInNewContext(await bundle('early-script/main.ts'), { window, URL, Set })
  return { window, seen }
}

const APP = 'callback=fledge%3A%2F%2Fauth%2Fcallback&state=s'

test.each([
  [`/auth/callback?${APP}#access_token=SECRET&refresh_token=SECRET`, `/auth/callback?${APP}`],
  [`/auth/callback?code=SECRET&${APP}&access_token=SECRET`, `/auth/callback?${APP}`],
  ['/auth/callback?Code=SECRET&__proto__=SECRET', '/auth/callback'],
  ['/auth/callback?redirect=%2Fprofile#', '/auth/callback?redirect=%2Fprofile'],
])('leaves nothing of %s but %s', async (given, left) => {
  const { window, seen } = await open(`https://fledge.example${given}`)
  expect(seen).toEqual([left])
  expect(window.location.href).toBe(`https://fledge.example${left}`)
})

test('hands the whole address to the first caller alone', async () => {
  const opened = `https://fledge.example/auth/callback?${APP}#access_token=SECRET`
  const { window } = await open(opened)
  expect(window.takeSignInAddress()).toBe(opened)
  expect(window.takeSignInAddress()).toBeNull()
  expect(JSON.stringify(window)).not.toContain('SECRET')
})

test('touches no address that holds nothing', async () => {
  const { seen } = await open(`https://fledge.example/auth/callback?${APP}`)
  expect(seen).toEqual([])
})
