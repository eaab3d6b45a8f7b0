/** With the few colours of a contrast theme, no state is told by a colour that the browser takes away. */
import { admin, answer, subscriber } from '../visual/api.ts'
import { staff } from '../visual/staff.ts'
import { expect, test, type Locator, type Page } from './fixture.ts'

test.use({ contextOptions: { forcedColors: 'active', reducedMotion: 'reduce' } })

const LOOKS = [
  'color',
  'background-color',
  'border-bottom-color',
  'border-bottom-style',
  'outline-style',
  'outline-color',
]

/** How an element looks, or what is drawn before it; `transparent` and the page's own colour are nothing. */
function look(element: Locator, pseudo?: string): Promise<string> {
  return element.evaluate(
    (node, [names, pseudo]) => {
      const style = getComputedStyle(node, pseudo)
      return names.map((name) => `${name}: ${style.getPropertyValue(name)}`).join('; ')
    },
    [LOOKS, pseudo] as const,
  )
}

/** What a colour of the theme is here. */
function system(page: Page, color: string): Promise<string> {
  return page.evaluate((color) => {
    const probe = document.body.appendChild(document.createElement('i'))
    probe.style.color = color
    const { color: computed } = getComputedStyle(probe)
    probe.remove()
    return computed
  }, color)
}

/** What is chosen differs from what is not, and has the theme's own colours for it. */
async function expectChosen(chosen: Locator, other: Locator): Promise<void> {
  const page = chosen.page()
  expect(await look(chosen)).not.toBe(await look(other))
  await expect(chosen).toHaveCSS('background-color', await system(page, 'Highlight'))
  await expect(chosen).toHaveCSS('color', await system(page, 'HighlightText'))
}

async function expectDrawn(
  element: Locator,
  property = 'background-color',
  pseudo?: string,
): Promise<void> {
  const canvas = await system(element.page(), 'Canvas')
  const drawn = await element.evaluate(
    (node, [property, pseudo]) => getComputedStyle(node, pseudo).getPropertyValue(property),
    [property, pseudo] as const,
  )
  expect([canvas, 'rgba(0, 0, 0, 0)', 'none']).not.toContain(drawn)
}

async function expectRing(element: Locator): Promise<void> {
  await element.focus()
  await element.page().keyboard.press('Shift+Tab')
  await element.page().keyboard.press('Tab')
  await expect(element).toBeFocused()
  await expect(element).not.toHaveCSS('outline-style', 'none')
}

test('the landing page shows which idea, which tint and which field', async ({ page }) => {
  await page.goto('/')
  for (const name of ['Choose an idea', 'Tint']) {
    const choices = page.getByRole('group', { name }).locator('label')
    const shown = (n: number) => choices.nth(n).locator(name === 'Tint' ? 'xpath=.' : 'span')
    await expectChosen(shown(0), shown(1))
    await choices.nth(1).click()
    await expectChosen(shown(1), shown(0))
  }
  await expectRing(page.getByRole('textbox', { name: 'Email address' }).first())
  // The phone is a picture, with the colours of its own.
  await expect(page.getByRole('img', { name: /^The finished/ }).first()).toHaveCSS(
    'forced-color-adjust',
    'none',
  )
})

test('a phone shows the menu of the landing page, and who is signed in', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 })
  await page.goto('/')
  await expectDrawn(page.getByRole('button', { name: 'Menu' }).locator('[aria-hidden]'))
  await page.evaluate(() => {
    document.cookie = 'fledge_hint=Z'
    window.dispatchEvent(new Event('focus'))
  })
  const avatar = page.getByRole('link', { name: 'Your profile (Z)' })
  await expect(avatar).toHaveCSS('border-top-width', '1px')
  await expectDrawn(avatar, 'border-top-color')
})

test('the blog shows by which tag it is filtered', async ({ page }) => {
  await page.goto('/blog')
  const all = page.getByRole('button', { name: 'All Posts' })
  const costs = page.getByRole('button', { name: 'Costs' })
  await expectChosen(all, costs)
  await costs.click()
  await expectChosen(costs, all)
  await expectRing(costs)
})

test('the profile shows what is left, what is chosen and what rests', async ({ page }) => {
  await answer(page, 'jane@fledge.test', subscriber)
  await page.goto('/profile')
  const bar = page.getByRole('progressbar')
  await expect(bar.locator('div')).toHaveCSS('background-color', await system(page, 'Highlight'))
  await expect(bar).toHaveCSS('outline-style', 'solid')
  await expectDrawn(page.getByText('Active', { exact: true }), 'background-color', '::before')

  await page.getByRole('button', { name: 'Change Plan' }).click()
  const dialog = page.getByRole('dialog', { name: 'Choose your plan' })
  const current = dialog.getByRole('button', { name: 'Current Plan' })
  await expect(current).toHaveCSS('color', await system(page, 'GrayText'))
  await expect(current).toHaveCSS('opacity', '1')
  const plans = dialog
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { level: 3 }) })
  expect(await look(plans.nth(0))).not.toBe(await look(plans.nth(1)))
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'Account menu' }).click()
  const entries = page.getByRole('menuitem')
  await expect(page.getByRole('menu')).toBeFocused()
  await page.keyboard.press('End')
  await expect(entries.last()).toHaveAttribute('data-highlighted')
  await expectChosen(entries.last(), entries.first())
})

test('what is on its way has a shape, and what turns is seen to turn', async ({ page }) => {
  await answer(page, 'jane@fledge.test', subscriber)
  await page.route('**/api/get-credit-balance', () => {})
  await page.goto('/profile')
  const shape = page
    .getByRole('region', { name: 'Credits Remaining' })
    .locator('[aria-hidden=true]')
    .first()
  await expect(shape).toHaveCSS('outline-style', 'dashed')

  await page.route('**/api/auth/session', () => {})
  await page.goto('/closed-beta')
  const spinner = page.locator('[class*=spinner]').first()
  const side = (name: string) =>
    spinner.evaluate((node, name) => getComputedStyle(node).getPropertyValue(name), name)
  expect(await side('border-top-color')).not.toBe(await side('border-bottom-color'))
})

test('the dashboard shows which tab, which release and which rows', async ({ page }) => {
  await answer(page, 'admin@fledge.test', staff)
  await page.goto('/admin')
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  await expectChosen(tab('Overview'), tab('Updates'))
  await expect(tab('Updates')).toHaveCSS('border-bottom-color', await system(page, 'Canvas'))
  await expectDrawn(page.locator('svg[role=img] rect').first(), 'fill')
  await expectDrawn(page.getByRole('list').locator('[aria-hidden=true] > div').first())

  await tab('Updates').click()
  await expectChosen(tab('Updates'), tab('Overview'))
  const switches = page.getByRole('switch')
  const [off, on] = [
    switches.and(page.locator('[aria-checked=false]')),
    switches.and(page.locator('[aria-checked=true]')),
  ]
  expect(await look(on.first().locator('xpath=*[1]'))).not.toBe(
    await look(off.first().locator('xpath=*[1]')),
  )
  await expectDrawn(off.first().locator('xpath=*[1]/*'))
  await expect(off.first().locator('xpath=*[1]')).toHaveCSS('outline-style', 'solid')
  const stops = page.getByRole('group', { name: 'Rollout of version 1.2.0' }).getByRole('button')
  await expectChosen(
    stops.and(page.locator('[aria-pressed=true]')),
    stops.and(page.locator('[aria-pressed=false]')).first(),
  )
  await expectDrawn(page.getByRole('table').locator('th [aria-hidden=true] > div').first())

  await tab('User Management').click()
  await expectChosen(tab('All Users'), tab('Waitlist'))
  await tab('Waitlist').click()
  await expectChosen(tab('Waitlist'), tab('All Users'))
  await expectRing(tab('Waitlist'))
  await expectSelects(page, page.getByRole('row'))

  await tab('Support Tickets').click()
  await expectSelects(page, page.locator('[data-ticket]'))
})

/** A row that is selected differs from one that is not. */
async function expectSelects(page: Page, rows: Locator): Promise<void> {
  const selectable = rows.filter({ has: page.getByRole('checkbox', { name: /^Select (?!all)/ }) })
  await selectable.nth(0).getByRole('checkbox').check()
  await expect(selectable.nth(0)).toHaveCSS('outline-color', await system(page, 'Highlight'))
  await expect(selectable.nth(0)).toHaveCSS('outline-style', /solid|double/)
  await expect(selectable.nth(1)).toHaveCSS('outline-style', 'none')
}

test('a message of failure differs from one of success', async ({ page }) => {
  await answer(page, 'admin@fledge.test', { ...staff, ...admin })
  await page.route('**/api/update-support-ticket', (route) =>
    route.fulfill({
      status: 503,
      json: { error: 'Not now.', code: 'unavailable', requestId: '0' },
    }),
  )
  await page.goto('/admin?tab=tickets')
  await page.getByRole('button', { name: 'View Details' }).first().click()
  await page.getByRole('button', { name: '✓ Mark Resolved' }).click()
  const toast = page.locator('[data-scope=toast][data-part=root]')
  await expect(toast).toContainText('Not now.')
  await expect(toast).toHaveCSS('border-left-style', 'double')
})
