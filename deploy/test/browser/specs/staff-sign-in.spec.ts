import { expect, test, type Page } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { chooseAccount, signIn } from './people.ts'
import { newAddress } from './stack.ts'
import { pageOf } from './tickets.ts'

const ADMIN = 'admin@fledge.test'

/** The server's clock cannot be moved: its first answer is the one that it gives to an old sign-in. */
async function refuseOnce(page: Page, route: string, code: string): Promise<void> {
  await page.route(
    `**/api/${route}`,
    (answer) =>
      answer.fulfill({
        status: 403,
        json: { error: 'Please sign in again.', code, requestId: '' },
      }),
    { times: 1 },
  )
}

const question = (page: Page) => page.getByRole('dialog', { name: 'Please sign in again' })

async function signInAgain(page: Page): Promise<void> {
  await question(page).getByRole('button', { name: 'Sign in again' }).click()
  await chooseAccount(page, ADMIN)
  await page.waitForURL('**/admin?**')
}

test('a role is changed after a fresh sign-in, where it was begun', async ({ browser, page }) => {
  const email = newAddress('promoted-late')
  await signIn(page, email)
  const admin = await pageOf(browser, ADMIN)
  await admin.goto(`/admin?tab=users&search=${encodeURIComponent(email)}`)
  const row = admin.getByRole('row').filter({ hasText: email })
  await row.getByRole('button', { name: `Change roles of ${email}` }).click()
  const dialog = admin.getByRole('dialog', { name: 'Change roles' })
  await dialog.getByLabel('Moderator').check()
  await dialog.getByLabel('Reason').fill('Helps with tickets.')
  await refuseOnce(admin, 'set-user-roles', 'fresh_sign_in_required')
  await dialog.getByRole('button', { name: 'Save roles' }).click()

  await expect(question(admin)).toContainText('15 minutes')
  await expectAccessible(admin, 'a fresh sign-in is needed')
  await admin.setViewportSize({ width: 360, height: 740 })
  expect(await overflow(admin)).toBe(0)
  await admin.keyboard.press('Escape')
  await expect(question(admin)).toBeHidden()
  await expect(dialog.getByLabel('Moderator')).toBeChecked()

  await refuseOnce(admin, 'set-user-roles', 'fresh_sign_in_required')
  await dialog.getByRole('button', { name: 'Save roles' }).click()
  await signInAgain(admin)
  expect(new URL(admin.url()).searchParams.get('search')).toBe(email)
  await expect(dialog.getByLabel('Moderator')).toBeChecked()
  await expect(dialog.getByLabel('Reason')).toHaveValue('Helps with tickets.')
  await dialog.getByRole('button', { name: 'Save roles' }).click()
  await expect(dialog).toBeHidden()
  await expect(row.getByText('Moderator', { exact: true })).toBeVisible()
})

test('the lists of an old session are shown after a new sign-in', async ({ browser }) => {
  const admin = await pageOf(browser, ADMIN)
  await refuseOnce(admin, 'get-audit-log*', 'staff_sign_in_required')
  await admin.goto('/admin?tab=audit')
  await expect(question(admin)).toContainText('12 hours')
  await expectAccessible(admin, 'a sign-in of today is needed')
  await signInAgain(admin)
  await expect(admin.getByRole('tab', { name: 'Audit Log' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await expect(question(admin)).toBeHidden()
})
