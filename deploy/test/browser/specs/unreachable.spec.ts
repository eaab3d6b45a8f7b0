import { expect, test, type Page } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { signIn } from './people.ts'
import { newAddress, siteURL } from './stack.ts'

const SESSION = '**/api/auth/session'

/** Makes the session endpoint unreachable. */
const takeAway = (page: Page) =>
  page.route(SESSION, (route) =>
    route.fulfill({ status: 503, json: { error: 'Please try again.' } }),
  )
const giveBack = (page: Page) => page.unroute(SESSION)

const title = (page: Page) => page.getByRole('heading', { name: "We can't reach the server" })
const again = (page: Page) => page.getByRole('button', { name: 'Try again' })

const returned = '/profile?success=true&plan=Pro&tokens=50&price=%2425&session_id=cs_test_1'

/** Where each address leads once the server answers, and how that is seen. */
const pages: [string, (page: Page) => Promise<unknown>][] = [
  ['/profile', (page) => expect(page.getByText('This device')).toBeVisible()],
  [returned, (page) => expect(page.getByRole('dialog', { name: 'Welcome to Pro!' })).toBeVisible()],
  [
    '/closed-beta',
    (page) => expect(page.getByText("You're not on the waitlist yet.")).toBeVisible(),
  ],
  ['/admin?tab=updates', (page) => expect(page.getByText('Access Denied')).toBeVisible()],
  ['/signin', (page) => page.waitForURL('**/profile')],
  [
    '/upgrade?source=electron',
    (page) => expect(page.getByRole('dialog', { name: 'Choose your plan' })).toBeVisible(),
  ],
  ['/auth/callback?redirect=%2Fclosed-beta', (page) => page.waitForURL('**/closed-beta')],
]

test('a server that does not answer is not a sign-out: pages keep their address and go on', async ({
  page,
}) => {
  await signIn(page, newAddress('unreachable'))
  for (const [address, goesOn] of pages) {
    await takeAway(page)
    await page.goto(address)
    await expect(title(page), address).toBeVisible()
    expect(page.url(), address).toBe(siteURL + address)
    await expect(page.getByRole('button', { name: /^(Sign In|Continue with)/ })).toHaveCount(0)
    await giveBack(page)
    await again(page).click()
    await goesOn(page)
  }
})

test('the page goes on by itself when the line is back', async ({ page }) => {
  await signIn(page, newAddress('unreachable-itself'))
  await takeAway(page)
  await page.goto('/profile')
  await expect(title(page)).toBeFocused()
  await expectAccessible(page)
  for (const width of [360, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await overflow(page), `horizontal overflow at ${width} px`).toBe(0)
  }
  await giveBack(page)
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await expect(page.getByText('This device')).toBeVisible()
})

test('a session of another shape than the page knows is no sign-out either', async ({ page }) => {
  await signIn(page, newAddress('unreachable-shape'))
  for (const json of [null, {}, { access_token: 1 }]) {
    await page.route(SESSION, (route) => route.fulfill({ json }))
    await page.goto('/profile')
    await expect(title(page)).toBeVisible()
    await giveBack(page)
  }
})

test('nobody who is signed out asks for a session, and the console stays clean', async ({
  page,
}) => {
  const problems: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  for (const path of ['/closed-beta', '/admin', '/signin']) {
    await page.goto(path)
    await page.waitForLoadState('networkidle')
  }
  expect(problems).toEqual([])
})

test.describe('a session that ends while the page is open', () => {
  /** Ends the session on the server. */
  async function end(page: Page, call: string) {
    const refused = { status: 401, json: { error: 'Please sign in.', code: 'no_session' } }
    await page.route(SESSION, (route) => route.fulfill(refused))
    await page.route(`**/api/${call}`, (route) => route.fulfill(refused))
  }

  test('asks to sign in where a checkout was begun, and then says so', async ({ page }) => {
    await signIn(page, newAddress('ended'))
    await page.goto('/profile')
    await page.getByRole('button', { name: 'Upgrade Plan' }).click()
    const upgrade = page.getByRole('dialog').getByRole('button', { name: 'Upgrade' }).first()
    await expect(upgrade).toBeEnabled()
    await end(page, 'create-checkout-session')
    const alerts: string[] = []
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message())
      void dialog.accept()
    })
    await upgrade.click()
    await page.waitForURL((url) => url.pathname === '/')
    expect(alerts).toEqual(['Please sign in to upgrade your plan', 'You have been signed out.'])
  })

  test("fails staff's change with its words, and says so", async ({ page }) => {
    await signIn(page, 'admin@fledge.test')
    await page.goto('/admin?tab=users&view=waitlist')
    const field = page.getByRole('textbox', { name: 'Email to add' })
    await field.fill(newAddress('ended'))
    await end(page, 'add-waitlist-user')
    await field.press('Enter')
    await expect(page.getByText('No active session')).toBeVisible()
    await expect(page.getByText('You have been signed out.')).toBeVisible()
    await expect(page.getByText('Access Denied')).toBeVisible()
  })
})
