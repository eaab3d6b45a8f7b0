import { expect, test, type Page, type Route } from './fixture.ts'

import { signIn } from './people.ts'
import { newAddress } from './stack.ts'

const SCRIPTS = /\/_next\/static\/.*\.js(\?|$)/
const NOT_LOADED = 'This page could not be loaded completely.'

const field = (page: Page) => page.getByRole('textbox', { name: 'Email address' }).first()
const joined = (page: Page) =>
  page
    .getByRole('status')
    .filter({ hasText: /waitlist/i })
    .first()

/** Holds the page's scripts back; returns what lets them arrive. */
async function holdScripts(page: Page): Promise<() => void> {
  let arrive = () => {}
  const arrived = new Promise<void>((resolve) => (arrive = resolve))
  await page.route(SCRIPTS, async (route) => {
    await arrived
    await route.continue()
  })
  return arrive
}

/** Lets the first request for each script fail, as during a rollout; returns how many did. */
async function failOnce(page: Page): Promise<() => number> {
  const failed = new Set<string>()
  await page.route(SCRIPTS, async (route: Route) => {
    const { pathname } = new URL(route.request().url())
    if (failed.has(pathname)) return route.continue()
    failed.add(pathname)
    await route.fulfill({ status: 404, body: 'not here' })
  })
  return () => failed.size
}

test('an article is one document: its text needs no style sheet and no script', async ({
  page,
}) => {
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.resourceType()))
  await page.route(SCRIPTS, (route) => route.abort())
  await page.goto('/blog/figma-to-swiftui')
  await expect(page.getByRole('heading', { level: 1 })).toHaveCSS('font-family', /^bricolage/i)
  expect(asked).not.toContain('stylesheet')
})

test('what is typed and sent before the scripts are there is not lost', async ({ page }) => {
  const arrive = await holdScripts(page)
  await page.goto('/', { waitUntil: 'commit' })
  await field(page).fill(newAddress('early'))
  await field(page).press('Enter')
  await expect(page.locator('form[name=hero_section]')).toHaveAttribute('aria-busy', 'true')
  arrive()
  await expect(joined(page)).toBeVisible()
})

test('a tag that is chosen, and what is typed, before the scripts are there is not lost', async ({
  page,
}) => {
  const arrive = await holdScripts(page)
  await page.goto('/blog', { waitUntil: 'commit' })
  await page.getByRole('button', { name: 'Design' }).click()
  await page.getByRole('button', { name: 'Costs' }).click()
  await page.getByRole('searchbox').fill('sum')
  arrive()
  await expect(page).toHaveURL('/blog?tag=Costs&q=sum')
  await expect(page.getByRole('button', { name: 'Costs', pressed: true })).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveValue('sum')
})

test('the fonts of an app page come after its scripts', async ({ page }) => {
  const fonts: string[] = []
  page.on('request', (request) => request.resourceType() === 'font' && fonts.push(request.url()))
  const arrive = await holdScripts(page)
  await page.goto('/signin', { waitUntil: 'commit' })
  await expect(page.getByText('One moment...')).toBeVisible()
  expect(fonts).toEqual([])
  arrive()
  await expect.poll(() => fonts.length).toBeGreaterThan(0)
})

test('the session is requested once, without waiting for the scripts, and only for somebody', async ({
  page,
}) => {
  const asked: string[] = []
  page.on(
    'request',
    (request) => request.url().endsWith('/api/auth/session') && asked.push(request.url()),
  )
  await page.goto('/closed-beta')
  await expect(page.getByRole('main').getByRole('button', { name: 'Sign In' })).toBeVisible()
  expect(asked).toHaveLength(0)
  await signIn(page, newAddress('preloaded'))
  asked.length = 0
  const arrive = await holdScripts(page)
  await page.goto('/profile', { waitUntil: 'commit' })
  await expect.poll(() => asked.length).toBe(1)
  arrive()
  await expect(page.getByText('This device')).toBeVisible()
  expect(asked).toHaveLength(1)
})

for (const path of ['/signin', '/auth']) {
  test(`${path} prefetches no other page`, async ({ page }) => {
    const payloads: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (pathname.endsWith('.txt')) payloads.push(pathname)
    })
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await page.waitForLoadState('networkidle')
    expect(payloads).toEqual([])
  })
}

test('scripts that fail once are requested again', async ({ page }) => {
  const failed = await failOnce(page)
  await page.goto('/')
  await field(page).fill(newAddress('retried'))
  await field(page).press('Enter')
  await expect(joined(page)).toBeVisible()
  expect(failed()).toBeGreaterThan(0)
})

test('an app page whose scripts fail once comes to life', async ({ page }) => {
  await signIn(page, newAddress('retried-app'))
  const failed = await failOnce(page)
  await page.goto('/profile')
  await expect(page.getByText('This device')).toBeVisible()
  expect(failed()).toBeGreaterThan(5)
  await expect(page.getByText(NOT_LOADED)).toBeHidden()
})

test('every kind of page says so when its scripts never arrive', async ({ context }) => {
  await context.route(SCRIPTS, (route) => route.abort())
  // At once: each asks for them again for seconds.
  const paths = ['/', '/blog', '/closed-beta', '/profile', '/auth/callback']
  await Promise.all(
    paths.map(async (path) => {
      const page = await context.newPage()
      await page.goto(path)
      const notice = page.getByRole('alert').filter({ hasText: NOT_LOADED })
      await expect(notice, path).toBeVisible()
      await expect(page.getByRole('button', { name: 'Reload the page' }), path).toBeVisible()
    }),
  )
})

test('a page whose scripts never arrive comes to life when the network is back', async ({
  page,
}) => {
  await page.route(SCRIPTS, (route) => route.abort())
  await page.goto('/')
  await expect(page.getByText(NOT_LOADED)).toBeVisible()
  await page.unroute(SCRIPTS)
  await page.evaluate(() => window.dispatchEvent(new Event('online')))
  await expect(page.getByText(NOT_LOADED)).toBeHidden()
  await field(page).fill(newAddress('online'))
  await field(page).press('Enter')
  await expect(joined(page)).toBeVisible()
})

test('a form that is sent after its scripts were given up is sent by the browser', async ({
  page,
}) => {
  await page.route(SCRIPTS, (route) => route.abort())
  await page.goto('/')
  await expect(page.getByText(NOT_LOADED)).toBeVisible()
  await field(page).fill(newAddress('given-up'))
  await field(page).press('Enter')
  await expect(page).toHaveURL('/joined')
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  for (const path of [
    '/closed-beta',
    '/profile',
    '/admin',
    '/signin',
    '/auth/callback',
    '/upgrade',
  ]) {
    test(`${path} says what it needs`, async ({ page }) => {
      await page.goto(path)
      await expect(
        page.locator('noscript p', { hasText: 'This page needs JavaScript.' }),
      ).toBeVisible()
      await expect(page.getByRole('link', { name: /^support@/ }).first()).toBeVisible()
    })
  }
})
