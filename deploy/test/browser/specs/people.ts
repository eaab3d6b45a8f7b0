import { expect, type Page } from '@playwright/test'

import { siteURL } from './stack.ts'

/** Signs up with one of the two forms of the landing page; 0 is the hero's. */
export async function joinWaitlist(page: Page, email: string, form = 0): Promise<void> {
  await page.goto('/')
  const field = page.getByRole('textbox', { name: /email/i }).nth(form)
  await field.fill(email)
  await field.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: /waitlist/i })).toBeVisible()
}

/**
 * Signs the page's browser in with the requests that the pages of the sign-in make, which saves them being shown, and
 * opens the closed beta page.
 */
export async function signIn(page: Page, email: string): Promise<void> {
  const started = await page.request.post('/api/auth/signin/google', {
    headers: { origin: new URL(siteURL).origin },
    data: { return_to: '/auth/callback?redirect=%2Fclosed-beta' },
  })
  expect(started.status(), await started.text()).toBe(200)
  const headers = { accept: 'text/html' }
  const accounts = await page.request.get(((await started.json()) as { url: string }).url, {
    headers,
  })
  const [, request] = /name="request" value="([^"]+)"/.exec(await accounts.text()) ?? []
  const end = await page.request.post(accounts.url(), {
    headers,
    form: { request: request ?? '', email },
  })
  expect(new URL(end.url()).pathname).toBe('/auth/callback')
  expect((await page.request.get('/api/auth/session')).status()).toBe(200)
  await page.goto('/closed-beta')
}

/** Starts at the closed beta page and comes back to it signed in, by the pages that people see. */
export async function signInOnPages(
  page: Page,
  email: string,
  provider: 'Google' | 'Apple' = 'Google',
): Promise<void> {
  await page.goto('/closed-beta')
  await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click()
  await page.getByRole('button', { name: `Continue with ${provider}` }).click()
  await chooseAccount(page, email)
  await page.waitForURL('**/closed-beta')
}

/** Signs in at the provider's own page. */
export async function chooseAccount(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
}
