import { expect, test } from './fixture.ts'

import { overflow, violations } from './axe.ts'

const pages = ['/', '/blog', '/terms', '/privacy', '/closed-beta', '/auth', '/auth/error', '/nowhere']

for (const path of pages) {
  test(`${path}: nothing overflows, no accessibility finding`, async ({ page }) => {
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      expect(await overflow(page), `horizontal overflow at ${width} px`).toBe(0)
    }
    expect(await violations(page)).toEqual([])
  })
}

test('every internal link of the public pages leads somewhere', async ({ page, request }) => {
  const seen = new Set<string>()
  const queue = ['/', '/blog', '/terms', '/privacy']
  while (queue.length > 0) {
    const path = queue.shift() ?? '/'
    if (seen.has(path)) continue
    seen.add(path)
    const response = await request.get(path)
    expect(response.status(), path).toBe(200)
    if (!response.headers()['content-type']?.includes('text/html')) continue
    await page.goto(path)
    const links = await page
      .locator('a[href^="/"]')
      .evaluateAll((anchors) => anchors.map((a) => (a as HTMLAnchorElement).pathname))
    queue.push(...links)
  }
  expect(seen.size).toBeGreaterThan(6)
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
