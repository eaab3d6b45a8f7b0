import { expect, test, type Locator, type Page } from './fixture.ts'

import { pageOf } from './tickets.ts'

/** The clock's step and the tolerance of measured times, in milliseconds: timers and rendering are not in step. */
const STEP_MS = 50
const SLACK_MS = 200

/** Lets the page's clock run until `shown` holds of `target`, and returns for how long it ran. */
async function runUntil(
  page: Page,
  target: Locator,
  count: number,
  atMost: number,
): Promise<number> {
  for (let ms = 0; ms < atMost; ms += STEP_MS) {
    if ((await target.count()) === count) return ms
    await page.clock.runFor(STEP_MS)
  }
  await expect(target).toHaveCount(count)
  return atMost
}

/** Hovers, and lets the page render twice: the clock could otherwise pass before the page has set its timer. */
async function hover(target: Locator): Promise<void> {
  await target.hover()
  for (let n = 0; n < 2; n++) {
    await target.evaluate(
      () =>
        new Promise((rendered) => {
          // React's scheduler waits in the same queue.
          const { port1, port2 } = new MessageChannel()
          port1.onmessage = rendered
          port2.postMessage(null)
        }),
    )
  }
}

test('three toasts are shown at most, for four seconds or while somebody is at them', async ({
  browser,
}) => {
  const page = await pageOf(browser, 'admin@fledge.test')
  await page.clock.install()
  const refused = { status: 403, json: { error: 'Not now.' } }
  await page.route('**/api/get-waitlist-users*', (route) => route.fulfill(refused))
  await page.goto('/admin?tab=users&view=waitlist')
  const toasts = page.getByRole('button', { name: 'Dismiss' })
  const refresh = page.getByRole('button', { name: 'Refresh' })
  await expect(toasts).toHaveCount(1)
  await page.clock.pauseAt(Date.now() + 600_000)
  await runUntil(page, toasts, 0, 6_000)

  /** Has the page say once more that it was refused. */
  const fail = async () => {
    await expect(refresh).toBeEnabled()
    const answered = page.waitForResponse('**/api/get-waitlist-users*')
    await refresh.click()
    await answered
    await expect(refresh).toBeEnabled()
  }

  await test.step('three at most; the fourth waits for its turn', async () => {
    for (let count = 1; count <= 3; count += 1) {
      await fail()
      await runUntil(page, toasts, count, 300)
    }
    await fail()
    await page.clock.runFor(500)
    await expect(toasts).toHaveCount(3)
  })

  await test.step('each for four seconds', async () => {
    await runUntil(page, toasts, 0, 15_000)
    await fail()
    await runUntil(page, toasts, 1, 300)
    const shown = await runUntil(page, toasts, 0, 8_000)
    expect(shown).toBeGreaterThanOrEqual(3_900)
    // The time in which it fades is its own.
    expect(shown).toBeLessThan(4_400 + SLACK_MS)
  })

  await test.step('or as long as the pointer, or the focus, is on one', async () => {
    await fail()
    await runUntil(page, toasts, 1, 300)
    await toasts.hover()
    await page.clock.runFor(9_000)
    await expect(toasts).toHaveCount(1)
    await page.mouse.move(2, 2)
    await runUntil(page, toasts, 0, 6_000)
    await fail()
    await runUntil(page, toasts, 1, 300)
    await toasts.focus()
    await page.clock.runFor(9_000)
    await expect(toasts).toHaveCount(1)
    await page.keyboard.press('Enter')
    await runUntil(page, toasts, 0, 2_000)
  })
})

test('tooltips open after their delay, and the next one at once', async ({ browser }) => {
  const page = await pageOf(browser, 'admin@fledge.test')
  await page.clock.install()
  await page.goto('/admin?tab=tickets')
  const keys = page.getByRole('button', { name: 'Keys' })
  const save = page.getByRole('button', { name: 'Export CSV' })
  await expect(keys).toBeVisible()
  await expect(save).toBeEnabled()
  await page.clock.pauseAt(Date.now() + 600_000)
  const tooltip = page.getByRole('tooltip')
  await page.mouse.move(2, 2)

  await hover(keys)
  const delay = await runUntil(page, tooltip, 1, 1_500)
  expect(delay).toBeGreaterThanOrEqual(690)
  expect(delay).toBeLessThan(700 + SLACK_MS)
  await expect(tooltip).toContainText('Keyboard')
  const off = async () => {
    await page.clock.runFor(STEP_MS)
    const [at, of] = [await tooltip.boundingBox(), await keys.boundingBox()]
    if (!at || !of) return Number.NaN
    // It stands on whole pixels, which its button need not do.
    return Math.abs((at.y > of.y ? at.y - (of.y + of.height) : of.y - (at.y + at.height)) - 4)
  }
  await expect.poll(off).toBeLessThan(1)

  await page.mouse.move(2, 2)
  await runUntil(page, tooltip, 0, 500)
  await hover(save)
  expect(await runUntil(page, tooltip, 1, 1_500)).toBeLessThan(SLACK_MS)
  await expect(tooltip).toContainText('CSV')

  await page.mouse.move(2, 2)
  await runUntil(page, tooltip, 0, 500)
  await page.clock.runFor(400)
  await hover(keys)
  expect(await runUntil(page, tooltip, 1, 1_500)).toBeGreaterThanOrEqual(690)

  // The keyboard opens it as well, and Escape closes it without a step elsewhere.
  await page.mouse.move(2, 2)
  await runUntil(page, tooltip, 0, 500)
  await keys.focus()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Tab')
  await expect(keys).toBeFocused()
  await runUntil(page, tooltip, 1, 1_500)
  await page.keyboard.press('Escape')
  await runUntil(page, tooltip, 0, 500)
  await expect(keys).toBeFocused()
})
