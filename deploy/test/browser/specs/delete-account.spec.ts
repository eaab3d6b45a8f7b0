import { expect, test, type Locator, type Page } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { chooseAccount, signIn } from './people.ts'
import { planCard } from './profile.ts'
import { newAddress } from './stack.ts'

const WELCOME_BACK = 'Welcome back. Your account is no longer going to be deleted.'

const question = (page: Page) => page.getByRole('dialog', { name: 'Delete your account?' })

/** Opens the question at the end of the profile. */
async function ask(page: Page, email: string): Promise<Locator> {
  await page.goto('/profile')
  const card = page.getByRole('region', { name: 'Delete account' })
  await card.getByRole('button', { name: 'Delete account' }).click()
  await expect(question(page)).toContainText(email)
  return question(page)
}

/** Types the word and presses the button. */
async function confirm(dialog: Locator): Promise<void> {
  await dialog.getByRole('textbox', { name: 'Type DELETE to confirm' }).fill('delete')
  await dialog.getByRole('button', { name: 'Delete my account' }).click()
}

/** The account is on its way out: the page says until when it can be taken back. */
async function expectDeleted(page: Page): Promise<void> {
  await page.waitForURL('**/signin')
  await expect(page.getByRole('heading', { name: 'Your account will be erased' })).toBeFocused()
  await expect(page.getByText(/will be erased on .*\d{4}/)).toBeVisible()
  expect((await page.request.get('/api/auth/session')).status()).toBe(401)
}

test('an account is deleted, and taken back by signing in again', async ({ context, page }) => {
  const email = newAddress('quitter')
  await signIn(page, email)
  const other = await context.newPage()
  await other.goto('/profile')
  await expect(planCard(other, 'Free Plan')).toBeVisible()

  const dialog = await ask(page, email)
  await expect(dialog.getByRole('button', { name: 'Delete my account' })).toBeDisabled()
  await expectAccessible(page, 'the question')
  await page.keyboard.press('Escape')
  await expect(dialog).toBeHidden()
  await expect(page.getByRole('button', { name: 'Delete account' })).toBeFocused()

  await page.keyboard.press('Enter')
  await confirm(dialog)
  await expectDeleted(page)
  await expectAccessible(page, 'the account is being deleted')
  await other.waitForURL((url) => url.pathname === '/')

  await page.getByRole('button', { name: 'Continue with Google' }).click()
  await chooseAccount(page, email)
  await page.waitForURL('**/profile')
  await expect(page.getByText(WELCOME_BACK)).toBeVisible()
  await page.reload()
  await expect(planCard(page, 'Free Plan')).toBeVisible()
  await expect(page.getByText(WELCOME_BACK)).toBeHidden()
})

test('whoever signed in long ago signs in again first', async ({ page }) => {
  const email = newAddress('late-quitter')
  await signIn(page, email)
  const dialog = await ask(page, email)

  // The server's clock cannot be moved: its first answer is the one that it gives after 15 minutes.
  await page.route(
    '**/api/auth/delete-account',
    (route) =>
      route.fulfill({
        status: 403,
        json: { error: 'Please sign in again.', code: 'fresh_sign_in_required', requestId: '' },
      }),
    { times: 1 },
  )
  await confirm(dialog)
  await expect(dialog.getByRole('heading', { name: 'Please sign in again first' })).toBeFocused()
  await expectAccessible(page, 'a fresh sign-in is needed')

  await dialog.getByRole('button', { name: 'Sign in again' }).click()
  await chooseAccount(page, email)
  await page.waitForURL('**/profile')
  await confirm(question(page))
  await expectDeleted(page)
})
