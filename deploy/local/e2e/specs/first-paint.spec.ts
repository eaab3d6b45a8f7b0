import { expect, test, type Page } from './fixture.ts'

test.use({ asTheyCome: true })

/** The styles, fonts and scripts that the page asked for before its text was painted, by their kind. */
async function askedBefore(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const paint = performance.getEntriesByName('first-contentful-paint')[0]
    if (!paint) throw new Error('nothing is painted')
    return performance
      .getEntriesByType('resource')
      .filter(({ startTime }) => startTime < paint.startTime)
      .map(({ name }) => new URL(name).pathname.replace(/.*\./, ''))
      .filter((kind) => ['css', 'js', 'woff2'].includes(kind))
  })
}

test('the text of an article needs nothing but its page', async ({ page }) => {
  await page.goto('/blog/figma-to-swiftui')
  await expect(page.getByRole('button', { name: 'Share' }).first()).toBeVisible() // by its script
  expect(await askedBefore(page)).toEqual([])
  await page.evaluate(() => document.fonts.ready)
  const heading = page.getByRole('heading', { level: 1 })
  await expect(heading).toHaveCSS('font-family', /^bricolage/i)
  expect(await page.evaluate(() => document.fonts.check('16px bricolage'))).toBe(true)
})

test('the second article has the fonts from the start', async ({ page }) => {
  await page.goto('/blog/figma-to-swiftui')
  await expect.poll(() => page.evaluate(() => sessionStorage.getItem('fledge.fonts'))).not.toBeNull()
  await page.goto('/blog/testflight-for-beginners')
  await expect(page.locator('head > noscript')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Share' }).first()).toBeVisible()
  expect(await askedBefore(page)).not.toContain('js')
})

test('the landing page asks for its style and its font, then for scripts', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Join Waitlist' }).first()).toBeEnabled()
  const first = await askedBefore(page)
  expect(first.filter((kind) => kind === 'css')).toHaveLength(1)
  expect(first).not.toContain('js')
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('an article has its style and its fonts', async ({ page }) => {
    await page.goto('/blog/figma-to-swiftui')
    const heading = page.getByRole('heading', { level: 1 })
    await expect(heading).toBeVisible()
    await expect(heading).toHaveCSS('font-family', /^bricolage/i)
    await expect(page.locator('head > noscript style')).toHaveCount(1)
  })
})
