import { answer } from '../visual/api.ts'
import { expect, test, type Page } from './fixture.ts'

const SCRIPTS = /\/_next\/static\/.*\.js(\?|$)/

const fields = (page: Page) => page.getByRole('textbox', { name: 'Email address' })
const submit = (page: Page) => page.getByRole('button', { name: 'Join Waitlist' })
const phone = (page: Page) =>
  page.getByRole('img', { name: /^The finished/ }).filter({ visible: true })
const joinLink = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Join Waitlist' })

/** How many lines of code and parts of the phone's screen cannot be seen now, of how many. */
function missing(page: Page) {
  return page.evaluate(() => {
    const parts = [
      ...document.querySelectorAll('figure code > span, figure [role=img] [style*="--l"]'),
    ].filter((part) => part.getClientRects().length > 0)
    const unseen = parts.filter((part) => {
      const { opacity, clipPath } = getComputedStyle(part)
      return Number(opacity) < 0.3 || /inset\(0(px)? [5-9]\d/.test(clipPath)
    })
    return { of: parts.length, unseen: unseen.length }
  })
}

for (const [width, height] of [
  [1280, 600],
  [1366, 650],
  [1440, 700],
  [1440, 900],
  [1160, 700],
] as const) {
  test(`form and phone are on the first screen at ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height })
    await page.goto('/')
    await expect(submit(page).first()).toBeInViewport({ ratio: 1 })
    await expect(phone(page)).toBeInViewport({ ratio: 1 })
  })
}

for (const [width, height] of [
  [1024, 600],
  [768, 1024],
  [360, 640],
] as const) {
  test(`the form is on the first screen at ${width} × ${height}`, async ({ page }) => {
    await page.setViewportSize({ width, height })
    await page.goto('/')
    await expect(submit(page).first()).toBeInViewport({ ratio: 1 })
  })
}

for (const width of [360, 375, 430, 768, 1024, 1280, 1440]) {
  test(`nothing moves when the fonts have loaded, ${width} px wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    await page.goto('/')
    await expect(page.locator('html[data-fonts]')).toHaveCount(0)
    const { before, after } = await page.evaluate(async () => {
      await document.fonts.ready
      const places = () =>
        [...document.querySelectorAll('main :is(h1, h2, p, form):not(figure *)')].map((part) => {
          const { top, height } = part.getBoundingClientRect()
          return { text: part.textContent, top, height }
        })
      const after = places().filter(({ top }) => top < window.innerHeight)
      document.documentElement.dataset.fonts = 'deferred'
      return { before: places(), after }
    })
    // A font of other proportions wraps some line elsewhere; what stands below it would move by that line.
    for (const [at, { text, top, height }] of after.entries()) {
      expect(Math.abs(before[at]!.top - top), `top of ${text}`).toBeLessThan(8)
      expect(Math.abs(before[at]!.height - height), `height of ${text}`).toBeLessThan(8)
    }
    expect(after.length).toBeGreaterThan(2)
  })
}

test('the picture is complete before any script, and stays so while it plays', async ({ page }) => {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(SCRIPTS, async (route) => {
    await arrived
    await route.continue()
  })
  await page.goto('/', { waitUntil: 'commit' })
  await expect(phone(page)).toBeVisible()
  const before = await missing(page)
  expect(before.of).toBeGreaterThan(30)
  expect(before.unseen).toBe(0)
  arrive()
  const figure = page.locator('figure').first()
  await expect(figure).toHaveAttribute('data-playing')

  for (const idea of ['Plant care', 'Split the bill', 'Habit tracker']) {
    await page.getByRole('radio', { name: idea }).check()
    const animations = await figure.evaluateHandle((element) =>
      element.getAnimations({ subtree: true }),
    )
    const end = await animations.evaluate((all) =>
      Math.max(...all.map(({ effect }) => Number(effect?.getComputedTiming().endTime))),
    )
    expect(end, 'what plays by itself ends within five seconds').toBeLessThanOrEqual(5000)
    for (let time = 0; time < end; time += 350) {
      await animations.evaluate((all, time) => {
        for (const animation of all) {
          animation.pause()
          animation.currentTime = time
        }
      }, time)
      const { unseen } = await missing(page)
      expect(unseen, `${idea} after ${time} ms`).toBeLessThanOrEqual(8)
    }
    await animations.evaluate((all) => all.forEach((animation) => animation.finish()))
    expect((await missing(page)).unseen).toBe(0)
  }
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('the form says how to join by mail', async ({ page }) => {
    await page.goto('/')
    // Playwright's search by text leaves out what stands in this element.
    const byMail = page.locator('form noscript').first().locator('p')
    await expect(byMail).toBeVisible()
    await expect(byMail).toHaveText(/write to support@\S+ and we add you to the waitlist/)
  })

  test("'Join Waitlist' leads to a form", async ({ page }) => {
    await page.goto('/')
    await joinLink(page).click()
    await expect(submit(page).nth(1)).toBeInViewport()
  })
})

test("'Join Waitlist' leads to the nearest form and into its field", async ({ page }) => {
  await page.goto('/')
  await page.waitForLoadState('load')
  await expect(page.locator('form[name=hero_section]')).not.toHaveAttribute('data-keep-submit')
  await joinLink(page).click()
  await expect(fields(page).first()).toBeFocused()
  expect(await page.evaluate(() => window.scrollY)).toBe(0)

  await page.getByRole('contentinfo').scrollIntoViewIfNeeded()
  await joinLink(page).click()
  await expect(fields(page).nth(1)).toBeFocused()
  await expect(fields(page).nth(1)).toBeInViewport({ ratio: 1 })
})

test('on a phone the menu closes by a tap outside, and leads to the form', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  await expect(page.locator('form[name=hero_section]')).not.toHaveAttribute('data-keep-submit')
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.click()
  await page.mouse.click(195, 800)
  await expect(menu).toHaveAttribute('aria-expanded', 'false')
  await menu.click()
  await joinLink(page).click()
  await expect(menu).toHaveAttribute('aria-expanded', 'false')
  await expect(fields(page).first()).toBeFocused()
})

test('who has joined above is not asked below', async ({ page }) => {
  await answer(page, null)
  await page.route('**/api/add-waitlist-user', (route) =>
    route.fulfill({ json: { message: 'Welcome.' } }),
  )
  await page.goto('/')
  await fields(page).first().fill('ada@fledge.test')
  await fields(page).first().press('Enter')
  await expect(page.getByText('Welcome.')).toHaveCount(2)
  await expect(fields(page)).toHaveCount(0)
  await expect(page.getByRole('status').filter({ hasText: 'Welcome.' })).toHaveCount(1)
})

test('where the server asks for patience, the form waits and tries again by itself', async ({
  page,
}) => {
  await answer(page, null)
  let asked = 0
  await page.route('**/api/add-waitlist-user', (route) => {
    asked += 1
    return asked === 1
      ? route.fulfill({
          status: 429,
          headers: { 'Retry-After': '3' },
          json: { error: 'Too many attempts.' },
        })
      : route.fulfill({ json: { message: 'Welcome.' } })
  })
  await page.goto('/')
  await fields(page).first().fill('ada@fledge.test')
  // Looked for at each frame: on a busy machine these three seconds pass between two looks from outside.
  const waits = page.waitForFunction(() => document.body.innerText.includes('One moment…'))
  await fields(page).first().press('Enter')
  await waits
  await expect(page.getByText('Welcome.').first()).toBeVisible()
  expect(asked).toBe(2)
})
