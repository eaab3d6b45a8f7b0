import { expect, test } from './fixture.ts'

test('with every service stopped the site stands and the form says so @both', async ({ page }) => {
  const response = await page.goto('/')
  expect(response?.status()).toBe(200)

  const field = page.getByRole('textbox', { name: /email/i }).first()
  await field.fill('patient@fledge.test')
  await field.press('Enter')

  const problem = page.getByRole('alert').filter({ hasText: /./ })
  await expect(problem.first()).toBeVisible()
  await expect(problem.first()).toHaveText(
    // The browser's side when nothing answers, else the front door's own words.
    /^(Network error|This part of the service is not available right now)\. Please try again\.$/,
  )
  await expect(field).toHaveValue('patient@fledge.test')
})
