import { expect, type Page } from '@playwright/test'

/** Signs up with one of the two forms of the landing page; 0 is the hero's. */
export async function joinWaitlist(page: Page, email: string, form = 0): Promise<void> {
  await page.goto('/')
  const field = page.getByRole('textbox', { name: /email/i }).nth(form)
  await field.fill(email)
  await field.press('Enter')
  await expect(page.getByRole('status').filter({ hasText: /waitlist/i })).toBeVisible()
}

/** Starts at the closed beta page and comes back to it signed in. */
export async function signIn(
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
