import { expect, test, type BrowserContext, type Page } from './fixture.ts'

import { signIn, signInOnPages } from './people.ts'
import { newAddress } from './stack.ts'

const HOUR = 3_600_000

/** Everything that a page of the site shows once it works, signed in. */
const pages: [string, (page: Page) => ReturnType<Page['getByText']>][] = [
  ['/', (page) => page.getByRole('link', { name: 'Profile', exact: true })],
  ['/blog', (page) => page.getByRole('heading', { name: 'All Articles' })],
  ['/terms', (page) => page.getByRole('heading', { level: 1 })],
  ['/closed-beta', (page) => page.getByText("You're not on the waitlist yet.")],
  ['/profile', (page) => page.getByText('This device')],
]

test.setTimeout(300_000)

test('whatever the browser keeps, forbids or shows on its clock, the pages work', async ({
  browser,
  page,
}) => {
  await signInOnPages(page, newAddress('odd'))
  const storageState = await page.context().storageState()

  /** A browser of the same person. */
  const another = (): Promise<BrowserContext> => browser.newContext({ storageState })

  await test.step('storage that is forbidden', async () => {
    const context = await another()
    await context.addInitScript(() => {
      const refuse = () => {
        throw new DOMException('The operation is insecure.', 'SecurityError')
      }
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB']) {
        Object.defineProperty(globalThis, name, { get: refuse })
      }
      globalThis.BroadcastChannel = class {
        constructor() {
          refuse()
        }
      } as unknown as typeof BroadcastChannel
    })
    const tab = await context.newPage()
    for (const [path, shown] of pages) {
      await tab.goto(path)
      await expect(shown(tab), path).toBeVisible()
    }
    await context.close()
  })

  await test.step('storage that somebody has filled', async () => {
    const context = await another()
    await context.addInitScript(() => {
      if (location.origin === 'null') return // the empty page that a tab begins with
      const expired = JSON.stringify({
        access_token: 'x.y.z',
        expires_at: 1,
        user: { id: 1, email: {} },
      })
      for (const storage of [localStorage, sessionStorage]) {
        for (const name of [
          'refreshProfileData',
          'fledge_pending_app',
          'fledge_analytics',
          'session',
          'sb-auth-token',
        ]) {
          storage.setItem(name, name === 'refreshProfileData' ? '[object Object]' : expired)
        }
      }
    })
    const tab = await context.newPage()
    for (const [path, shown] of pages) {
      await tab.goto(path)
      await expect(shown(tab), path).toBeVisible()
    }
    await expect(tab.getByRole('region', { name: 'Credits Remaining' })).toContainText('0.00 / 100')
    await context.close()
  })

  for (const ahead of [HOUR, -HOUR]) {
    await test.step(`a clock that is wrong by ${ahead / HOUR} h renews no token in a loop`, async () => {
      const context = await another()
      const tab = await context.newPage()
      let asked = 0
      tab.on('request', (request) => {
        if (new URL(request.url()).pathname === '/api/auth/session') asked += 1
      })
      await tab.clock.install({ time: Date.now() + ahead })
      await tab.goto('/profile')
      await expect(tab.getByText('This device')).toBeVisible()
      await tab.clock.runFor(5 * 60_000)
      await expect(tab.getByRole('link', { name: 'Join the waitlist' })).toBeVisible()
      // Its token lasts ten minutes by the server's word, whatever the hour.
      expect(asked).toBe(1)
      await context.close()
    })
  }
})

test('what never arrives of a page is replaced in its place', async ({ page }) => {
  await signIn(page, newAddress('parts'))
  await page.goto('/profile')
  await expect(page.getByText('This device')).toBeVisible()
  await page.route('**/_next/static/**', (route) => route.abort())

  await page.getByRole('button', { name: 'Upgrade Plan' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose your plan' })
  await expect(dialog.getByRole('alert')).toHaveText('This part of the page could not be loaded.')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Account menu' }).click()
  await expect(page.getByRole('link', { name: 'Profile', exact: true })).toBeFocused()
  await expect(page.getByRole('heading', { name: 'Profile', exact: true })).toBeVisible()
})

test('what the address claims is shown as text, and grants nothing', async ({ page }) => {
  await signIn(page, newAddress('claims'))
  const plan = encodeURIComponent('<img src=x onerror=alert(1)>')
  await page.goto(`/profile?success=true&plan=${plan}&tokens=999999&price=0`)
  await expect(
    page.getByRole('dialog', { name: 'Welcome to img srcx onerroralert1!' }),
  ).toBeVisible()
  expect(new URL(page.url()).search).toBe('')
  await page.keyboard.press('Escape')
  await expect(page.getByRole('region', { name: 'Credits Remaining' })).toContainText('0.00 / 100')
  await expect(page.getByRole('region', { name: 'Free Plan', exact: true })).toBeVisible()
  // Whose id the address names is never asked: it is the session's person who is shown the plans.
  await page.goto(`/upgrade?source=electron&user=${crypto.randomUUID()}`)
  await expect(page.getByRole('dialog', { name: 'Choose your plan' })).toBeVisible()
})
