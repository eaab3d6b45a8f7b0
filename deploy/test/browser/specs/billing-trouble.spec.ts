import { expect, test, type Page } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { signIn } from './people.ts'
import { credits, openPlans, planCard, planNamed } from './profile.ts'
import { newAddress } from './stack.ts'
import {
  buy,
  expectStatus,
  grants,
  oneMonthOn,
  payAtCheckout,
  subscription,
  whileDown,
} from './stripe.ts'

/** What the browser's own alerts say; the next one closes it by itself. */
function nextAlert(page: Page): Promise<string> {
  return new Promise((resolve) =>
    page.once('dialog', (dialog) => {
      resolve(dialog.message())
      void dialog.accept()
    }),
  )
}

test('a renewal that fails is overdue until it is paid', async ({ page }) => {
  await signIn(page, newAddress('overdue'))
  await buy(page.request, 'Pro')
  await page.goto('/profile')
  await page.getByRole('button', { name: 'Manage Subscription' }).click()
  await page.getByRole('link', { name: 'Change card' }).click()
  await page.getByRole('radio', { name: /•••• 0341/ }).check()
  await page.getByRole('button', { name: 'Save card' }).click()
  await expect(page.getByRole('heading', { name: 'Your billing' })).toBeVisible()
  await oneMonthOn()
  await expectStatus(page.request, 'past_due')

  await page.goto('/profile')
  await expect(
    planCard(page, 'Pro Plan').getByText('Payment overdue', { exact: true }),
  ).toBeVisible()
  await expect(planCard(page, 'Pro Plan').getByText('$25.00 has been overdue since')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Change Plan' })).toHaveCount(0)
  await expectAccessible(page)
  expect(await grants(page.request)).toEqual([50])

  await page.getByRole('button', { name: 'Update Payment Method' }).click()
  await expect(page.getByText('Your last payment has failed.')).toBeVisible()
  const open = page.getByRole('listitem').filter({ hasText: 'open' })
  await open.getByRole('link').click()
  await payAtCheckout(page, '$25.00')
  await expect(page.getByRole('status')).toContainText('has been paid')
  await expectStatus(page.request, 'active')

  await page.goto('/profile')
  await expect(planCard(page, 'Pro Plan').getByText('Active', { exact: true })).toBeVisible()
  await expect(credits(page)).toContainText('50.00 / 50')
  expect(await grants(page.request)).toEqual([50, 50])
})

test('a checkout that is left changes nothing', async ({ page }) => {
  await signIn(page, newAddress('browser'))
  await page.goto('/profile#upgrade')
  const plans = page.getByRole('dialog', { name: 'Choose your plan' })
  await planNamed(plans, 'Business').getByRole('button', { name: 'Upgrade' }).click()
  await page.getByRole('link', { name: 'Cancel and go back to Fledge' }).click()

  await expect(planCard(page, 'Free Plan')).toBeVisible()
  await page.waitForURL((url) => url.pathname === '/profile' && url.search === '')
  await expect(page.getByRole('dialog')).toHaveCount(0)
  expect(await subscription(page.request)).toBeNull()
})

test('a declined card is no purchase', async ({ page }) => {
  await signIn(page, newAddress('declined'))
  await page.goto('/profile')
  const plans = await openPlans(page, 'Upgrade Plan')
  await planNamed(plans, 'Pro').getByRole('button', { name: 'Upgrade' }).click()
  await page.getByRole('radio', { name: /•••• 0002/ }).check()
  await page.getByRole('button', { name: 'Pay $25.00' }).click()
  await expect(page.getByRole('alert')).toHaveText('Your card was declined.')
  expect(await subscription(page.request)).toBeNull()
  await payAtCheckout(page, '$25.00')
  await expect(page.getByRole('dialog', { name: 'Welcome to Pro!' })).toBeVisible()
})

test('while Stripe is down the page says so, and works when it is back', async ({ page }) => {
  await signIn(page, newAddress('outage'))
  await page.goto('/profile')
  const plans = await openPlans(page, 'Upgrade Plan')
  const upgrade = planNamed(plans, 'Pro').getByRole('button', { name: /^(Upgrade|Processing)/ })
  await whileDown('POST /v1/checkout/sessions', async () => {
    const alert = nextAlert(page)
    await upgrade.click()
    expect(await alert).toBe('Failed to redirect to checkout. Please try again.')
  })
  await expect(upgrade).toHaveText('Upgrade')
  await upgrade.click()
  await payAtCheckout(page, '$25.00')
  await page.getByRole('button', { name: 'Get Started' }).click()

  const manage = page.getByRole('button', { name: 'Manage Subscription' })
  await whileDown('POST /v1/billing_portal', async () => {
    const alert = nextAlert(page)
    await manage.click()
    expect(await alert).toBe('Unable to load subscription management. Please try again.')
  })
  await manage.click()
  await expect(page.getByRole('heading', { name: 'Your billing' })).toBeVisible()
})
