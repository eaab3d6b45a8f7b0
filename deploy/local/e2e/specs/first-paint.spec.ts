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
  await expect
    .poll(() => page.evaluate(() => sessionStorage.getItem('fledge.fonts')))
    .not.toBeNull()
  await page.goto('/blog/testflight-for-beginners')
  await expect(page.locator('head > noscript')).toHaveCount(0)
  await expect(page.getByRole('button', { name: 'Share' }).first()).toBeVisible()
  expect(await askedBefore(page)).not.toContain('js')
})

test('the landing page asks for its style, then for fonts and scripts', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Join Waitlist' }).first()).toBeEnabled()
  expect(await askedBefore(page)).toEqual(['css'])
})

for (const path of ['/', '/blog', '/blog/figma-to-swiftui', '/terms']) {
  test(`what is below the first screen of ${path} waits, but not long`, async ({ page }) => {
    await page.goto(path)
    await expect(page.locator('[data-below]')).toHaveCount(0)
    expect(await page.evaluate(() => document.adoptedStyleSheets.length)).toBe(0)
  })
}

test('what is typed before the scripts are there is not lost', async ({ page }) => {
  let go = () => {}
  const gone = new Promise<void>((resolve) => (go = resolve))
  const asked = page.waitForRequest('**/_next/static/page/*.js')
  await page.route('**/_next/static/page/*.js', async (route) => {
    await gone
    await route.continue()
  })
  await page.goto('/', { waitUntil: 'commit' })
  const form = page.locator('form[name=hero_section]')
  const field = form.getByRole('textbox', { name: 'Email address' })
  await field.fill('ada@example.com')
  await expect(form.getByRole('button')).toBeDisabled()
  await asked
  go()
  await expect(form.getByRole('button')).toBeEnabled()
  await expect(field).toHaveValue('ada@example.com')
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
