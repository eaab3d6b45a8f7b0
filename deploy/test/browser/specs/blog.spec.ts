import { expect, test } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { siteURL } from './stack.ts'

test('the filter of the blog is in the address: it survives a reload and can be shared', async ({
  page,
}) => {
  await page.goto('/blog')
  await page.getByRole('button', { name: 'Costs' }).click()
  await page.getByRole('searchbox').fill('sum')
  await expect(page).toHaveURL('/blog?tag=Costs&q=sum')
  await page.reload()
  const chip = page.getByRole('button', { name: 'Costs', pressed: true })
  await expect(chip).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveValue('sum')
  await expect(
    page.getByRole('region', { name: 'Featured Articles', exact: true }).getByRole('listitem'),
  ).toHaveCount(1)
  await expect(page.getByRole('heading', { name: 'More featured articles' })).toBeVisible()
  await page.getByRole('link', { name: 'How much does it cost' }).click()
  await page.waitForURL('/blog/how-much-cost-build-ios-app-2025')
  await page.goBack()
  await expect(chip).toBeVisible()
  await expect(page.getByRole('searchbox')).toHaveValue('sum')
  await expectAccessible(page)
})

test('on a narrow screen the chosen tag is in sight', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await page.goto('/blog?tag=No-code')
  await expect(page.getByRole('button', { name: 'No-code', pressed: true })).toBeInViewport({
    ratio: 1,
  })
})

test('with forced colours the chosen tag looks unlike the others', async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' })
  await page.goto('/blog?tag=Costs')
  const background = (name: string) =>
    page.getByRole('button', { name }).evaluate((chip) => getComputedStyle(chip).backgroundColor)
  await expect(page.getByRole('button', { name: 'Costs', pressed: true })).toBeVisible()
  expect(await background('Costs')).not.toBe(await background('Design'))
})

test('no table of an article is wider than its screen, and the sums stay on it', async ({
  page,
  request,
}) => {
  const map = await (await request.get('/sitemap.xml')).text()
  const paths = [...map.matchAll(/<loc>[^<]*(\/blog\/[^<]+)<\/loc>/g)].map(([, path]) => path ?? '')
  expect(paths.length).toBeGreaterThan(10)
  for (const path of paths) {
    await page.goto(path)
    for (const width of [320, 360, 545, 768]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await overflow(page), `${path} at ${width} px`).toBe(0)
      const wide = await page
        .locator('table')
        .evaluateAll(
          (tables) =>
            tables.filter((table) => table.scrollWidth > (table.parentElement?.clientWidth ?? 0))
              .length,
        )
      expect(wide, `tables of ${path} at ${width} px`).toBe(0)
    }
  }
  await page.setViewportSize({ width: 360, height: 900 })
  await page.goto('/blog/how-much-cost-build-ios-app-2025')
  const total = page.getByRole('cell', { name: '$12,799' })
  await total.scrollIntoViewIfNeeded()
  await expect(total).toBeInViewport({ ratio: 1 })
})

test('what search engines read is well-formed on every kind of page', async ({ page, request }) => {
  const kinds = {
    '/': ['Organization', 'WebSite'],
    '/blog': ['BreadcrumbList'],
    '/terms': ['BreadcrumbList'],
    '/privacy': ['BreadcrumbList'],
    '/blog/figma-to-swiftui': ['BlogPosting', 'FAQPage', 'BreadcrumbList'],
  }
  for (const [path, types] of Object.entries(kinds)) {
    await page.goto(path)
    const json = (await page.locator('script[type="application/ld+json"]').textContent()) ?? ''
    const { '@graph': graph } = JSON.parse(json) as {
      '@graph': { '@type': string }[]
    }
    expect(
      graph.map((thing) => thing['@type']),
      path,
    ).toEqual(types)
  }
  for (const path of [
    '/',
    '/blog',
    '/blog/figma-to-swiftui',
    '/terms',
    '/privacy',
    '/nowhere',
    '/blog/no-such-article',
  ]) {
    await page.goto(path)
    const feed = page.locator('link[type="application/rss+xml"]')
    expect(await feed.evaluate((link: HTMLLinkElement) => link.href), path).toBe(
      `${siteURL}/feed.xml`,
    )
  }
  expect(await (await request.get('/feed.xml')).text()).toContain('<content:encoded>')
})

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false })

  test('the blog lists everything and offers no filter, and an article is complete', async ({
    page,
  }) => {
    await page.goto('/blog')
    await expect(page.getByRole('heading', { name: 'All Articles' })).toBeVisible()
    await expect(page.getByRole('searchbox')).toBeHidden()
    await page.goto('/blog/building-first-ios-app-with-ai')
    await expect(page.getByText('Once a day at 8:00, if something is due')).toBeVisible()
    await expect(page.getByText('September 17, 2024')).toBeVisible()
    await expect(page.getByRole('button', { name: 'Share' })).toHaveCount(0)
    await expect(page.getByRole('link', { name: 'Join the waitlist' })).toHaveAttribute(
      'href',
      '/#join',
    )
  })
})
