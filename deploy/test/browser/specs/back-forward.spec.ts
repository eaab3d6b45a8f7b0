import { expect, test, type Page } from './fixture.ts'

import { launchOptions } from '../browser.ts'
import { signIn } from './people.ts'
import { newAddress } from './stack.ts'

// Playwright disables the back/forward cache, which restores a page as it was left.
test.use({
  launchOptions: { ...launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
})

/** Not `page.goBack`, which waits for a load that never happens. Returns before the page is left. */
const goBack = (page: Page) => page.evaluate(() => void setTimeout(() => history.back()))

/** Marks the page, to recognise it when it is restored. */
const mark = (page: Page) => page.evaluate(() => Object.assign(window, { marked: true }))
/** Nobody answers between two pages. */
const cameBack = (page: Page) => page.evaluate(() => 'marked' in window).catch(() => false)

async function openProfile(page: Page, email: string): Promise<void> {
  await signIn(page, email)
  await page.goto('/profile')
  await expect(page.getByText('This device')).toBeVisible()
  // The lock that publishes the session's deadline (tab-link.ts) keeps the page out of the cache for ten seconds.
  await expect
    .poll(() => page.evaluate(async () => (await navigator.locks.query()).held?.length), {
      timeout: 20_000,
    })
    .toBe(0)
  await mark(page)
}

test('after signing out on the profile, Back shows no profile that loads for ever', async ({
  page,
}) => {
  await openProfile(page, newAddress('back'))
  await page.getByRole('button', { name: 'Account menu' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  await goBack(page)
  await expect(page.getByText('Sign in to check your closed beta access status')).toBeVisible()
  await expect(page.getByText('Loading...')).toHaveCount(0)
})

test('a profile that comes back tells that its session has ended on the server', async ({
  page,
}) => {
  await openProfile(page, newAddress('back-ended'))
  await page.goto('/terms')
  expect((await page.request.post('/api/auth/sign-out', { data: { scope: 'device' } })).ok()).toBe(
    true,
  )
  const alerts: string[] = []
  page.on('dialog', (dialog) => {
    alerts.push(dialog.message())
    void dialog.accept()
  })
  await goBack(page)
  // A page that is reloaded would not know that there was a session.
  await expect.poll(() => alerts, { timeout: 2000 }).toEqual(['You have been signed out.'])
  await page.waitForURL((url) => url.pathname === '/')
})

test('a page that comes back shows who is signed in by now', async ({ context, page }) => {
  const [first, second] = [newAddress('back-first'), newAddress('back-second')]
  await openProfile(page, first)
  await expect(page.getByRole('main').getByText(first)).toBeVisible()
  await page.goto('/terms')
  // Without BroadcastChannel only the page itself can find out.
  const elsewhere = await context.newPage()
  await elsewhere.addInitScript(() => Reflect.deleteProperty(window, 'BroadcastChannel'))
  await elsewhere.goto('/profile')
  await elsewhere.getByRole('button', { name: 'Account menu' }).click()
  await elsewhere.getByRole('menuitem', { name: 'Sign out' }).click()
  await elsewhere.waitForURL((url) => url.pathname === '/')
  await signIn(elsewhere, second)
  await goBack(page)
  await expect.poll(() => cameBack(page)).toBe(true)
  await expect(page.getByRole('main').getByText(second)).toBeVisible()
  await expect(page.getByText(first)).toHaveCount(0)
})
