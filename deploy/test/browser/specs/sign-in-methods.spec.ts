import { expect, test, type Page } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { chooseAccount, signInOnPages } from './people.ts'
import { newAddress } from './stack.ts'

const card = (page: Page) => page.getByRole('region', { name: 'How you sign in' })
const heading = (page: Page) => card(page).getByRole('heading')
const row = (page: Page, name: string) => card(page).getByRole('listitem').filter({ hasText: name })

test('a provider is added under another address, and the first one removed @apple', async ({
  page,
  browser,
}) => {
  const [email, relay] = [newAddress('two-ways'), newAddress('relay')]
  await signInOnPages(page, email)
  await page.goto('/profile')
  await expect(row(page, 'Google')).toContainText('Your only way to sign in')
  await expectAccessible(page, 'one way to sign in')

  await card(page).getByRole('button', { name: 'Add Apple' }).press('Enter')
  await chooseAccount(page, relay)
  await page.waitForURL('**/profile#sign-in-methods')
  await expect(heading(page)).toBeFocused()
  await expect(row(page, 'Apple')).toContainText('Added')
  await expectAccessible(page, 'two ways to sign in')

  await card(page).getByRole('button', { name: 'Remove Google' }).press('Enter')
  const dialog = page.getByRole('alertdialog', { name: 'Remove Google?' })
  await expectAccessible(page, 'removing a way to sign in')
  await dialog.getByRole('button', { name: 'Remove', exact: true }).press('Enter')
  await expect(row(page, 'Apple')).toContainText('Your only way to sign in')
  await expect(card(page).getByRole('button', { name: 'Add Google' })).toBeVisible()

  const elsewhere = await (await browser.newContext()).newPage()
  await signInOnPages(elsewhere, relay, 'Apple')
  await elsewhere.goto('/profile')
  await expect(elsewhere.getByRole('main').getByText(email).first()).toBeVisible()
  await elsewhere.context().close()
})

test("somebody else's account at a provider is not added @apple", async ({ page, browser }) => {
  const taken = newAddress('taken')
  const other = await (await browser.newContext()).newPage()
  await signInOnPages(other, taken, 'Apple')
  await other.context().close()

  await signInOnPages(page, newAddress('wants-it'))
  await page.goto('/profile')
  await card(page).getByRole('button', { name: 'Add Apple' }).click()
  await chooseAccount(page, taken)
  await page.waitForURL('**/profile')
  await expect(card(page).getByRole('alert')).toContainText('It was not added.')
  await expect(heading(page)).toBeFocused()
  await expect(row(page, 'Google')).toContainText('Your only way to sign in')
  await expectAccessible(page, 'a provider was not added')
})
