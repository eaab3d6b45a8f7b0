import { expect, test, type Page } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'

interface State {
  path: string
  /** What a visitor does there first, and its name. */
  name?: string
  reach?: (page: Page) => Promise<void>
}

const untouched: State[] = [
  ...['/', '/blog', '/blog/figma-to-swiftui', '/terms', '/privacy', '/closed-beta'],
  ...[
    '/auth',
    '/auth/error',
    '/auth/callback?callback=https://evil.example',
    '/signin',
    '/nowhere',
  ],
  '/blog/no-such-article',
].map((path) => ({ path }))

const reached: State[] = [
  {
    path: '/blog',
    name: 'nothing found',
    reach: async (page) => {
      await page.getByRole('searchbox').fill('.*(a+)+$')
      await expect(page.getByText('No articles found matching your criteria.')).toBeVisible()
    },
  },
  {
    path: '/closed-beta',
    name: 'the choice of providers',
    reach: async (page) => {
      await page.getByRole('main').getByRole('button', { name: 'Sign In' }).click()
      await expect(page.getByRole('button', { name: 'Continue with Apple' })).toBeVisible()
    },
  },
]

for (const { path, name, reach } of [...untouched, ...reached]) {
  test(`${path}${name ? `, ${name}` : ''}: fits every window, no accessibility finding`, async ({
    page,
  }) => {
    await page.goto(path)
    await page.waitForLoadState('networkidle')
    await reach?.(page)
    // 320 px are 1280 at 400 %, 640 px are 1280 at 200 %.
    for (const width of [320, 360, 640, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await overflow(page), `horizontal overflow at ${width} px`).toBe(0)
    }
    await expectAccessible(page)
  })
}

test('every kind of page links icons that exist', async ({ page }) => {
  for (const path of ['/', '/blog/figma-to-swiftui', '/closed-beta', '/nowhere']) {
    await page.goto(path)
    const icons = await page
      .locator('link[rel=icon], link[rel=apple-touch-icon]')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''))
    expect(icons, path).toEqual(['/favicon.ico', '/icon.svg', '/apple-touch-icon.png'])
  }
  for (const [path, type] of [
    ['/favicon.ico', 'image/x-icon'],
    ['/icon.svg', 'image/svg+xml'],
    ['/apple-touch-icon.png', 'image/png'],
  ] as const) {
    const response = await page.request.get(path)
    expect(response.status(), path).toBe(200)
    expect(response.headers()['content-type'], path).toBe(type)
  }
})

for (const width of [360, 1440, 1920]) {
  test(`the titles of all public pages begin at one edge, ${width} px wide`, async ({ page }) => {
    await page.setViewportSize({ width, height: 900 })
    const edges: Record<string, number | undefined> = {}
    for (const path of [
      '/',
      '/blog',
      '/blog/figma-to-swiftui',
      '/blog/no-such-article',
      '/terms',
      '/privacy',
      '/nowhere',
    ]) {
      await page.goto(path)
      edges[path] = (await page.getByRole('heading', { level: 1 }).boundingBox())?.x
    }
    expect(edges).toEqual(Object.fromEntries(Object.keys(edges).map((path) => [path, edges['/']])))
  })
}

test('every internal link of the public pages leads somewhere', async ({ request }) => {
  const seen = new Set<string>()
  const queue = ['/', '/blog', '/terms', '/privacy']
  while (queue.length > 0) {
    const path = queue.shift() ?? '/'
    if (seen.has(path)) continue
    seen.add(path)
    const response = await request.get(path)
    expect(response.status(), path).toBe(200)
    if (!response.headers()['content-type']?.includes('text/html')) continue
    const links = (await response.text()).matchAll(/<a\b[^>]*\shref="(\/[^"#?]*)/g)
    queue.push(...[...links].map(([, href]) => href ?? '/'))
  }
  expect(seen.size).toBeGreaterThan(20)
})

test('an unknown path and an unknown article have pages of their own', async ({ page }) => {
  const nowhere = await page.goto('/does/not/exist')
  expect(nowhere?.status()).toBe(404)
  await expect(page.getByText('Oops! Page not found')).toBeVisible()
  await page.getByRole('link', { name: 'Return to Home' }).click()
  await page.waitForURL((url) => url.pathname === '/')

  const article = await page.goto('/blog/no-such-article')
  expect(article?.status()).toBe(404)
  await expect(page.getByRole('heading', { name: 'Article Not Found' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Back to Blog' })).toBeVisible()
})

test('the watch over the pages sees what they do wrong', async ({ page, problems }) => {
  await page.goto('/terms')
  await page.evaluate(() => {
    const script = document.createElement('script')
    script.textContent = 'document.title = "run"'
    document.body.append(script)
    setTimeout(() => {
      throw new Error('on purpose')
    })
  })
  await expect.poll(() => problems).toHaveLength(2)
  expect(problems.sort().join()).toMatch(/content security policy.*uncaught: on purpose/is)
  await expect(page).not.toHaveTitle('run')
  problems.length = 0
})
