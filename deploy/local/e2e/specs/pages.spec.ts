import { expect, test } from '@playwright/test'

import { overflow, violations } from './axe.ts'

const pages = ['/', '/blog', '/terms', '/privacy', '/closed-beta', '/auth', '/auth/error', '/nowhere']

for (const path of pages) {
  test(`${path}: nothing overflows, no error, no accessibility finding`, async ({ page }) => {
    const problems: string[] = []
    page.on('pageerror', (error) => problems.push(`uncaught: ${error.message}`))
    page.on('console', (message) => {
      if (message.type() === 'error' && /content security policy/i.test(message.text())) {
        problems.push(message.text())
      }
    })
    for (const width of [360, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      await page.goto(path)
      await page.waitForLoadState('networkidle')
      expect(await overflow(page), `horizontal overflow at ${width} px`).toBe(0)
    }
    expect(problems).toEqual([])
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
