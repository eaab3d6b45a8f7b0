import { launchOptions } from '../browser.ts'
import { expectAccessible, overflow } from './axe.ts'
import { answered, CHOICE, collect, type Collector } from './collector.ts'
import { expect, test, type Page } from './fixture.ts'
import { signInOnPages } from './people.ts'
import { newAddress } from './stack.ts'

// PostHog takes the headless shell for a robot, and is silent.
test.use({ launchOptions })

const question = (page: Page) => page.getByRole('region', { name: 'Privacy choices' })

/** Waits until both services have received a view of the page `path`, Google's with query and hash. */
async function viewed({ told }: Collector, path: string): Promise<void> {
  for (const [to, event] of [
    ['posthog', 'Page View'],
    ['google', 'page_view'],
  ]) {
    const paths = () => told.filter((t) => t.to === to && t.event === event).map((t) => t.path)
    await expect.poll(paths).toContain(to === 'google' ? path : path.replace(/[?#].*/, ''))
  }
}

const idle = async (page: Page) => {
  await page.waitForResponse('**/config.json')
  await page.waitForLoadState('networkidle')
}

test.describe('a visitor who has not answered', () => {
  test.use({ storageState: { cookies: [], origins: [] } })

  test('is not asked without keys', async ({ page }) => {
    const collector = await collect(page)
    await page.route('**/config.json', (route) => route.fulfill({ json: {} }))
    for (const path of ['/', '/terms']) {
      await Promise.all([idle(page), page.goto(path)])
      await expect(question(page)).toHaveCount(0)
      await expect(page.getByText('Privacy choices')).toBeHidden()
    }
    expect(collector.told).toEqual([])
    expect(collector.scripts).toEqual([])
  })

  test('is told of only after agreeing, page by page, and no more after declining', async ({
    page,
  }) => {
    const collector = await collect(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await page.goto('/')
    await expect(question(page)).toBeVisible()
    await expectAccessible(page)
    await page.getByRole('button', { name: /menu/i }).click()
    await page.goto('/terms?access_token=secret&n=1#code=secret')
    await expect(question(page)).toBeVisible()
    await expect(page.locator('body')).toBeFocused()
    await expectAccessible(page)
    expect(await overflow(page)).toBe(0)
    expect(collector.told).toEqual([])
    expect(collector.scripts).toEqual([])

    await question(page).getByRole('button', { name: 'Accept' }).click()
    await viewed(collector, '/terms?n=1')
    await page.goto('/blog')
    await viewed(collector, '/blog')
    await page.goto('/')
    await viewed(collector, '/')
    await expect(question(page)).toHaveCount(0)
    await page.evaluate(() => location.assign('#stats'))
    await viewed(collector, '/#stats')
    await page.evaluate(() => history.replaceState(null, '', '/?n=2'))
    await viewed(collector, '/?n=2')
    await page.getByRole('button', { name: /menu/i }).click()
    await expect.poll(collector.events).toContain('Button Click')
    expect(JSON.stringify(collector.told)).toContain('toggle_menu')
    expect(JSON.stringify(collector.told)).not.toContain('secret')
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toContain('secret')

    await page.keyboard.press('Escape')
    const choices = page.getByRole('button', { name: 'Privacy choices' })
    await choices.click()
    await expect(question(page)).toBeFocused()
    await question(page).getByRole('button', { name: 'Decline' }).click()
    await expect(choices).toBeFocused()
    expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([CHOICE])
    const before = collector.told.length
    await Promise.all([idle(page), page.goto('/blog')])
    expect(collector.told.slice(before)).toEqual([])
  })
})

test.describe('a visitor who agreed', () => {
  test.use({ storageState: answered('accepted') })

  test('is known once signed in, and not told of on the way', async ({ page }) => {
    const collector = await collect(page)
    const email = newAddress('known')
    await signInOnPages(page, email)
    await expect.poll(collector.events).toContain('$identify')
    const known = collector.told.find(({ event }) => event === '$identify')
    expect(known?.text).toContain(email)
    expect(collector.told.filter(({ path }) => /^\/(auth|signin)/.test(path))).toEqual([])
    expect(collector.told.some(({ to, text }) => to === 'google' && text.includes(email))).toBe(
      false,
    )
  })

  test('sees nothing of services that are down, and a script that comes at the second try', async ({
    page,
  }) => {
    const collector = await collect(page, (route, tries) =>
      tries === 1 ? route.abort() : route.fulfill({ contentType: 'text/javascript', body: '' }),
    )
    await page.route('https://eu.i.posthog.com/**', (route) => route.abort())
    await page.goto('/blog')
    await expect.poll(() => collector.scripts.length).toBe(2)
    const [first = 0, second = 0] = collector.scripts
    expect(second - first).toBeGreaterThan(950)
    await page.getByPlaceholder('Search articles...').fill('swift')
    await expect(page.getByRole('heading', { name: 'All Articles' })).toBeVisible()
  })
})
