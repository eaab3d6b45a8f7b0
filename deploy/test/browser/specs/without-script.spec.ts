import { expect, test } from './fixture.ts'

import { newAddress, siteURL } from './stack.ts'

test.use({ javaScriptEnabled: false })

test('the waitlist form joins without a script', async ({ page }) => {
  await page.goto('/')
  const form = page.locator('form[name=hero_section]')
  await form.getByRole('textbox', { name: 'Email address' }).fill(newAddress('plain'))
  await form.getByRole('button', { name: 'Join Waitlist' }).click()
  await expect(page).toHaveURL('/joined')
  await expect(page.getByRole('heading', { name: "You're on the waitlist!" })).toBeVisible()
  await page.getByRole('link', { name: 'Return to Home' }).click()
  await expect(page).toHaveURL('/')
})

test('a form that another site sends puts nobody on the list', async ({ page }) => {
  await page.route('http://elsewhere.test/', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${siteURL}/api/add-waitlist-user"><input name="email" value="${newAddress('foreign')}"><input name="source" value="hero_section"><button>Send</button></form>`,
    }),
  )
  await page.goto('http://elsewhere.test/')
  await page.getByRole('button', { name: 'Send' }).click()
  await expect(page).toHaveURL('/join-failed')
})
