import { expect, type Locator, type Page } from '@playwright/test'

import { subscription } from './stripe.ts'

/** The plan card, by its title. */
export function planCard(page: Page, title: string): Locator {
  return page.getByRole('region', { name: title, exact: true })
}

/** The credits card. */
export function credits(page: Page): Locator {
  return page.getByRole('region', { name: 'Credits Remaining' })
}

/** Opens the plans with a button of the plan card. */
export async function openPlans(page: Page, button: string): Promise<Locator> {
  await page.getByRole('button', { name: button, exact: true }).click()
  const plans = page.getByRole('dialog', { name: 'Choose your plan' })
  await expect(plans).toBeVisible()
  return plans
}

/** The card of a plan among the plans. */
export function planNamed(plans: Locator, name: string): Locator {
  const heading = plans.page().getByRole('heading', { name, exact: true })
  return plans.getByRole('listitem').filter({ has: heading })
}

/** The end of the person's period, as the profile writes it. */
export async function dateOf(page: Page): Promise<string> {
  const end = (await subscription(page.request))?.current_period_end
  return new Date(end ?? '').toLocaleDateString('en-US', { dateStyle: 'long' })
}
