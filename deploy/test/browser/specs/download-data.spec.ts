import { expect, test, type Page } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { chooseAccount, signIn } from './people.ts'
import { newAddress } from './stack.ts'
import { readZip } from './zip.ts'

const card = (page: Page) => page.getByRole('region', { name: 'Your data' })
const button = (page: Page) => card(page).getByRole('button', { name: 'Download my data' })

/** Presses the focused button, and returns the files of what is saved. */
async function download(page: Page): Promise<Map<string, string>> {
  const started = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const file = await started
  expect(file.suggestedFilename()).toMatch(/^fledge-data-\d{4}-\d\d-\d\d\.zip$/)
  return readZip(await file.path())
}

test('whoever signed in long ago signs in again, comes back, and gets everything as a file', async ({
  page,
}) => {
  const email = newAddress('collector')
  await signIn(page, email)
  await page.goto('/profile')

  // The server's clock cannot be moved: its first answer is the one that it gives after 15 minutes.
  const json = {
    error: 'Please sign in again.',
    code: 'fresh_sign_in_required',
    requestId: '0'.repeat(32),
  }
  await page.route('**/api/auth/export', (route) => route.fulfill({ status: 403, json }), {
    times: 1,
  })
  await button(page).click()
  const heading = card(page).getByRole('heading', { name: 'Please sign in again first' })
  await expect(heading).toBeFocused()
  await expectAccessible(page, 'a fresh sign-in is needed for the data')

  await card(page).getByRole('button', { name: 'Sign in again' }).click()
  await chooseAccount(page, email)
  await page.waitForURL('**/profile#download-data')
  await expect(button(page)).toBeFocused()

  const files = await download(page)
  await expect(card(page).getByRole('status')).toContainText('Saved as fledge-data-')
  await expect(button(page)).toBeFocused()
  await expectAccessible(page, 'the data is saved')
  expect(files.get('README.txt')).toContain(email)
  const [account] = JSON.parse(files.get('account.json') ?? '[]') as { email: string }[]
  expect(account?.email).toBe(email)
  expect(files.get('account.csv')).toContain(email)
  expect(JSON.parse(files.get('devices.json') ?? '[]')).toHaveLength(2)
  expect(files.get('tickets.json')).toBe('[]\n')
  expect(files.has('tickets.csv')).toBe(false)
})

test('while a service is away there is no file, and the page says so', async ({ page }) => {
  await signIn(page, newAddress('patient'))
  await page.goto('/profile')
  await page.route('**/api/auth/export', (route) => route.abort(), { times: 1 })
  await button(page).click()
  await expect(card(page).getByRole('alert')).toContainText('Network error')
  await button(page).focus()
  expect((await download(page)).get('README.txt')).toContain('What is not in here, and why')
})
