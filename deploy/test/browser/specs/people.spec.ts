import { expect, test } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { joinWaitlist, signIn, signInOnPages } from './people.ts'
import { mailFor, newAddress } from './stack.ts'

test('Apple signs people in as well @apple', async ({ page }) => {
  const email = newAddress('apple')
  await joinWaitlist(page, email, 1)
  await signInOnPages(page, email, 'Apple')
  await expect(page.getByText('Your waitlist application is pending approval.')).toBeVisible()
  await expectAccessible(page)
})

test('who is not an admin sees no dashboard and gets no data', async ({ page }) => {
  await signIn(page, newAddress('curious'))
  await expect(page.getByText("You're not on the waitlist yet.")).toBeVisible()
  await expectAccessible(page, 'not on the waitlist')
  const denied = page.waitForResponse((response) => response.url().includes('/api/is-admin'))
  await page.goto('/admin')
  await expect(page.getByText('Access Denied')).toBeVisible()
  await expect(page.getByText("You don't have admin privileges to access this page.")).toBeVisible()
  await expectAccessible(page, 'access denied')
  const authorization = (await (await denied).request().allHeaders()).authorization ?? ''
  const response = await page.request.get('/api/get-waitlist-users', {
    headers: { authorization },
  })
  expect(response.status()).toBe(403)
})

test('signing out ends the session everywhere on the site', async ({ page }) => {
  const email = newAddress('leaver')
  await signIn(page, email)
  await page.goto('/profile')
  await expect(page.getByText('Free Plan')).toBeVisible()
  await page.getByRole('button', { name: 'Account menu' }).click()
  await expect(page.getByRole('menu').getByText(email)).toBeVisible()
  await expectAccessible(page, 'account menu')
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL((url) => url.pathname === '/')
  await expect(page.getByText('Coming Soon')).toBeVisible()
  expect((await page.request.get('/api/auth/session')).status()).toBe(401)
})

test('the profile lists the browsers, and signs another one out', async ({ browser, page }) => {
  const email = newAddress('devices')
  const phone = await browser.newContext({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  })
  const elsewhere = await phone.newPage()
  await signIn(elsewhere, email)
  await signIn(page, email)
  await page.goto('/profile')
  const devices = page.getByRole('region', { name: "Where you're signed in" })
  await expect(devices.getByRole('listitem')).toHaveCount(2)
  await expect(devices.getByRole('listitem').first()).toContainText('This device')
  const other = devices.getByRole('listitem').filter({ hasText: 'Safari on iPhone' })
  await expect(other.locator('time')).toHaveAttribute('title', /\d{4}/)
  await expectAccessible(page)
  for (const width of [360, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    expect(await overflow(page), `horizontal overflow at ${width} px`).toBe(0)
  }

  // By keyboard: who only presses Enter changes nothing.
  const button = other.getByRole('button', {
    name: 'Sign out of Safari on iPhone',
  })
  await button.press('Enter')
  const dialog = page.getByRole('alertdialog', {
    name: 'Sign out of Safari on iPhone?',
  })
  await expect(dialog.getByRole('button', { name: 'Cancel' })).toBeFocused()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await expect(dialog).toBeHidden()
  await expect(button).toBeFocused()
  expect((await elsewhere.request.get('/api/auth/session')).status()).toBe(200)

  await button.press('Enter')
  await dialog.getByRole('button', { name: 'Sign out' }).click()
  await expect(page.getByText('Signed out of Safari on iPhone')).toBeVisible()
  await expect(devices.getByRole('listitem')).toHaveCount(1)
  await expect(devices.getByRole('heading')).toBeFocused()
  expect((await elsewhere.request.get('/api/auth/session')).status()).toBe(401)
  await elsewhere.goto('/profile')
  await elsewhere.waitForURL((url) => url.pathname === '/')
})

test('a known address gets the same answer and no second entry', async ({ browser, page }) => {
  const email = newAddress('known')
  await joinWaitlist(page, email)
  const first = await page.getByRole('status').first().textContent()
  await joinWaitlist(page, email.toUpperCase())
  expect(await page.getByRole('status').first().textContent()).toBe(first)

  const admin = await (await browser.newContext()).newPage()
  await signIn(admin, 'admin@fledge.test')
  await admin.goto('/admin')
  await admin.getByRole('tab', { name: 'User Management' }).click()
  await admin.getByRole('tab', { name: 'Waitlist' }).click()
  await admin.getByRole('searchbox', { name: 'Search the waitlist' }).fill(email)
  await expect(admin.getByRole('row').filter({ hasText: email })).toHaveCount(1)
})

test('a rejected address stays rejected, is told nothing, and gets no mail', async ({
  browser,
  page,
}) => {
  const email = newAddress('rejected')
  await joinWaitlist(page, email)

  const admin = await (await browser.newContext()).newPage()
  await signIn(admin, 'admin@fledge.test')
  await admin.goto('/admin')
  await admin.getByRole('tab', { name: 'User Management' }).click()
  await admin.getByRole('tab', { name: 'Waitlist' }).click()
  await admin.getByRole('searchbox', { name: 'Search the waitlist' }).fill(email)
  const row = admin.getByRole('row').filter({ hasText: email })
  await row.getByRole('button', { name: /remove/i }).click()
  await admin.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await expect(admin.getByText('Waitlist user removed successfully')).toBeVisible()
  await expect(row.getByText('Rejected', { exact: true })).toBeVisible()
  await expect(row.getByRole('button', { name: /approve|remove/i })).toHaveCount(0)

  await joinWaitlist(page, email)
  await signIn(page, email)
  await expect(page.getByText('Your waitlist application is under review.')).toBeVisible()
  await expectAccessible(page)
  expect(await mailFor(email)).toHaveLength(0)
})

test('a release that staff takes back is no longer offered', async ({ browser, page }) => {
  await signIn(page, 'tester@fledge.test')
  await expect(page.getByRole('link', { name: 'Download for Mac (v1.1.0)' })).toBeVisible()
  await expectAccessible(page)

  const admin = await (await browser.newContext()).newPage()
  await signIn(admin, 'admin@fledge.test')
  await admin.goto('/admin')
  await admin.getByRole('tab', { name: 'Updates' }).click()
  const newest = admin.getByRole('switch', { name: /1\.1\.0/ })
  await expect(newest).toBeChecked()
  await newest.press('Space')
  await expect(newest).not.toBeChecked()
  try {
    await page.reload()
    await expect(page.getByRole('link', { name: 'Download for Mac (v1.0.0)' })).toBeVisible()
  } finally {
    await newest.press('Space')
    await expect(newest).toBeChecked()
  }
})
