import { expect, test } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { signedIn } from './mac.ts'
import { dateOf, openPlans, planCard, planNamed, credits } from './profile.ts'
import { expectStatus, grants, oneMonthOn, payAtCheckout, whileStuttering } from './stripe.ts'

test('a plan is bought, spent from, changed, cancelled, taken up again and renewed', async ({
  context,
  page,
}) => {
  test.setTimeout(180_000)
  const { mac } = await signedIn(context, 'maker')

  await test.step('nothing has been bought yet', async () => {
    await page.goto('/profile')
    await expect(planCard(page, 'Free Plan')).toContainText('Basic features and limited access.')
    await expect(credits(page)).toContainText('0.00 / 100')
    expect((await mac.run('plan')).stdout).toBe('Free Plan\n')
    expect(await mac.run('spend', '1', 'Generated screen')).toMatchObject({
      code: 1,
      stdout: '',
    })
    await expectAccessible(page)
  })

  await test.step('the Mac sends the person to the plans', async () => {
    const { stdout } = await mac.run('upgrade', '--print-url')
    await page.goto(/http\S+/.exec(stdout)?.[0] ?? '')
    const plans = page.getByRole('dialog', { name: 'Choose your plan' })
    await expect(plans).toBeVisible()
    expect(new URL(page.url()).search).toBe('')
    for (const [name, price] of [
      ['Pro', '$25'],
      ['Business', '$50'],
    ] as const) {
      const offer = planNamed(plans, name)
      await expect(offer).toContainText(price)
      await expect(offer.getByRole('button', { name: 'Upgrade' })).toBeEnabled()
    }
    await expect(
      planNamed(plans, 'Enterprise').getByRole('link', { name: 'Book a demo' }),
    ).toBeVisible()
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await expect(plans).toBeHidden()
  })

  await test.step('Pro is bought at the checkout', async () => {
    const plans = await openPlans(page, 'Upgrade Plan')
    await planNamed(plans, 'Pro').getByRole('button', { name: 'Upgrade' }).click()
    await expect(page.getByRole('heading', { name: 'Subscribe to Pro' })).toBeVisible()
    await payAtCheckout(page, '$25.00')

    const welcome = page.getByRole('dialog', { name: 'Welcome to Pro!' })
    await expect(welcome).toContainText('Your subscription is active!')
    await expect(welcome).toContainText("What's next?")
    expect(new URL(page.url()).search).toBe('')
    await expectAccessible(page)
    await welcome.getByRole('button', { name: 'Get Started' }).click()
    await expect(welcome).toBeHidden()

    const card = planCard(page, 'Pro Plan')
    await expect(card.getByText('Active', { exact: true })).toBeVisible()
    await expect(card).toContainText('50 credits per month')
    await expect(card).toContainText(`Next billing date: ${await dateOf(page)}`)
    await expect(credits(page)).toContainText('50.00 / 50')
    await expectAccessible(page)
  })

  await test.step('what the Mac spends shows, and what fails costs nothing', async () => {
    expect((await mac.run('spend', '0.29', 'Generated screen')).stdout).toBe(
      'Spent 0.29: 49.71 of 50.00 credits left, 0.00 held.\n',
    )
    const held = await mac.run('hold', '5', 'Generated app')
    const hold = /"(\S+)"/.exec(held.stdout)?.[1] ?? held.stderr
    expect((await mac.run('settle', hold, '0')).stdout).toContain('49.71 of 50.00 credits left')
    await page.reload()
    await expect(credits(page)).toContainText('49.71 / 50')

    await page.getByRole('button', { name: 'View Details' }).click()
    const history = page.getByRole('dialog')
    await expect(history.getByText('Generated screen')).toBeVisible()
    await expect(history.getByText('Generated app')).toHaveCount(0)
    await expectAccessible(page)
    await page.keyboard.press('Escape')
  })

  await test.step('a change to Business gives the difference', async () => {
    const plans = await openPlans(page, 'Change Plan')
    const current = planNamed(plans, 'Pro').getByRole('button', {
      name: 'Current Plan',
    })
    await expect(current).toBeDisabled()
    await expectAccessible(page)
    await planNamed(plans, 'Business').getByRole('button', { name: 'Upgrade' }).click()
    await expect(page.getByRole('heading', { name: 'Confirm your new plan' })).toBeVisible()
    await page.getByRole('button', { name: 'Confirm' }).click()

    const welcome = page.getByRole('dialog', { name: 'Welcome to Business!' })
    await welcome.getByRole('button', { name: 'Get Started' }).click()
    await expect(planCard(page, 'Business Plan').getByText('Active', { exact: true })).toBeVisible()
    await expect(credits(page)).toContainText('99.71 / 100')
    expect(await grants(page.request)).toEqual([50, 50])
  })

  await test.step('cancelled in the portal, it stays until the date', async () => {
    await page.getByRole('button', { name: 'Manage Subscription' }).click()
    await page.getByRole('link', { name: 'Cancel plan' }).click()
    await page.getByRole('button', { name: 'Cancel plan' }).click()
    await expect(page.getByRole('status')).toContainText('Your plan has been cancelled.')
    await expectStatus(page.request, 'cancelled')
    await page.getByRole('link', { name: 'Return to Fledge' }).click()

    const card = planCard(page, 'Business Plan')
    await expect(card.getByText('Cancelled', { exact: true })).toBeVisible()
    await expect(card).toContainText(`Subscription is active until ${await dateOf(page)}`)
    await expect(credits(page)).toContainText('99.71 / 100')
    expect((await mac.run('plan')).stdout).toContain(`active until ${await dateOf(page)}`)
    await expectAccessible(page)
  })

  await test.step('it is taken up again', async () => {
    const plans = await openPlans(page, 'Resubscribe')
    const offer = planNamed(plans, 'Business')
    await expect(offer.getByText('Cancelled', { exact: true })).toBeVisible()
    await expectAccessible(page)
    await offer.getByRole('button', { name: 'Resubscribe' }).click()
    await expect(planCard(page, 'Business Plan').getByText('Active', { exact: true })).toBeVisible()
    await expect(planCard(page, 'Business Plan')).toContainText('Next billing date:')
  })

  await test.step('a month later there are new credits, once', async () => {
    const before = await dateOf(page)
    await whileStuttering(oneMonthOn)
    await expect.poll(() => grants(page.request), { timeout: 30_000 }).toEqual([100, 50, 50])
    await page.goto('/profile')
    await expect(credits(page)).toContainText('100.00 / 100')
    expect(await dateOf(page)).not.toBe(before)
    await expect(planCard(page, 'Business Plan')).toContainText(
      `Next billing date: ${await dateOf(page)}`,
    )
    expect(await grants(page.request)).toEqual([100, 50, 50])
  })
})
