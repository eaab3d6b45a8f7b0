import { expect, test, type BrowserContext, type Page } from './fixture.ts'

import { call } from './mac.ts'
import { signIn } from './people.ts'
import { newAddress } from './stack.ts'

/** After this long, an access token of ten minutes has fewer than three ticks of 30 s left. */
const NEARLY_OVER_MS = 9 * 60_000

test.setTimeout(180_000)

/** Tabs of one browser at the profile of one person, with clocks of their own. */
async function openTabs(context: BrowserContext, email: string, count: number): Promise<Page[]> {
  const first = await context.newPage()
  await signIn(first, email)
  await first.close()
  const tabs = await Promise.all(Array.from({ length: count }, () => context.newPage()))
  for (const tab of tabs) {
    await tab.clock.install()
    await tab.goto('/profile')
  }
  for (const tab of tabs) await expect(tab.getByText('This device')).toBeVisible()
  return tabs
}

/** Counts the browser's session reads, which trade its cookie for tokens, and keeps the tokens. */
function watchSessions(context: BrowserContext) {
  const seen = { asked: 0, tokens: [] as string[] }
  context.on('request', (request) => {
    if (new URL(request.url()).pathname === '/api/auth/session') seen.asked += 1
  })
  context.on('response', async (response) => {
    if (new URL(response.url()).pathname !== '/api/auth/session' || !response.ok()) return
    const { access_token } = (await response.json()) as {
      access_token: string
    }
    seen.tokens.push(access_token)
  })
  return seen
}

/** Brings a tab to the front: it checks its token immediately instead of at the next tick. */
function wake(tab: Page): Promise<unknown> {
  return tab.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
}

/**
 * Resolves to a function that waits until a tab has received the broadcast of a renewed session. Listeners are called
 * in the order in which they were added, so the page's own has been called by then.
 */
async function listen(tab: Page): Promise<() => Promise<void>> {
  await tab.evaluate(() => {
    new BroadcastChannel('fledge-session').onmessage = () => {
      document.documentElement.dataset.told = 'yes'
    }
  })
  return () => expect(tab.locator('html')).toHaveAttribute('data-told', 'yes')
}

/** The bearer with which a tab makes its next call. */
async function bearerOf(tab: Page): Promise<string> {
  const asked = tab.waitForRequest('**/api/get-credit-history*')
  await tab.getByRole('button', { name: 'View Details' }).click()
  const { authorization = '' } = await (await asked).allHeaders()
  await tab.keyboard.press('Escape')
  return authorization.replace('Bearer ', '')
}

test('tabs share one renewal and one session, and sign out together', async ({ context }) => {
  const tabs = await openTabs(context, newAddress('tabs'), 6)
  const seen = watchSessions(context)
  const told = await Promise.all(tabs.map(listen))

  const now = Date.now() + NEARLY_OVER_MS
  await Promise.all(tabs.map((tab) => tab.clock.setSystemTime(now)))
  await Promise.all(tabs.map(wake))
  await Promise.all(told.map((hears) => hears()))
  await expect.poll(() => seen.tokens.length).toBeGreaterThan(0)
  const bearers = await Promise.all(tabs.map(bearerOf))

  expect(seen.asked).toBe(1)
  expect([...new Set(bearers)]).toEqual(seen.tokens)
  const { body } = await call(context.request, 'GET', '/api/auth/devices')
  expect((body as { data: unknown[] }).data).toHaveLength(1)

  const leaver = tabs[3] as Page
  await leaver.getByRole('button', { name: 'Account menu' }).click()
  await leaver.getByRole('menuitem', { name: 'Sign out' }).click()
  for (const tab of tabs) await tab.waitForURL((url) => url.pathname === '/')
  expect((await context.request.get('/api/auth/session')).status()).toBe(401)
  expect(seen.asked).toBe(1)
})

test('signing out everywhere does so in all tabs, and in other browsers', async ({
  browser,
  context,
}) => {
  const email = newAddress('tabs-everywhere')
  const elsewhere = await (await browser.newContext()).newPage()
  await signIn(elsewhere, email)
  const tabs = await openTabs(context, email, 4)
  const leaver = tabs[3] as Page
  await expect(leaver.getByRole('listitem').filter({ hasText: 'Chrome on' })).toHaveCount(2)
  await leaver.getByRole('button', { name: 'Sign out everywhere' }).click()
  const dialog = leaver.getByRole('alertdialog')
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
  for (const tab of tabs) await tab.waitForURL((url) => url.pathname === '/')
  expect((await context.request.get('/api/auth/session')).status()).toBe(401)
  expect((await elsewhere.request.get('/api/auth/session')).status()).toBe(401)
  await elsewhere.goto('/profile')
  await elsewhere.waitForURL((url) => url.pathname === '/')
})
