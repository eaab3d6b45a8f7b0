/**
 * The pages as Next exports them, before web/scripts makes static documents of the visitors' pages: each works with
 * Next's own run-time, so that the step after the export is an optimisation and nothing else. The HTML is that of
 * `next build`, from web/.next; scripts and styles are those of the site, which keeps all of Next's. That an export made
 * with FLEDGE_ISLANDS=off is made of the same files is tested in web/scripts/postbuild.test.mjs.
 */
import { readFile } from 'node:fs/promises'

import { expect, test, type Page } from './fixture.ts'

import { signIn, signInOnPages } from './people.ts'
import { newAddress, siteURL } from './stack.ts'

const built = new URL('../../../../web/.next/server/app/', import.meta.url)

/** Serves each page of the site as Next exported it, with placeholders, which only the front door replaces. */
async function serveRaw(page: Page): Promise<void> {
  await page.route(
    (url) => url.origin === siteURL && !/^\/(api|_next)\//.test(url.pathname),
    async (route) => {
      if (route.request().resourceType() !== 'document') return route.continue()
      const { pathname } = new URL(route.request().url())
      const name = pathname === '/' ? 'index' : pathname.slice(1)
      const html = await readFile(new URL(`${name}.html`, built), 'utf8').catch(() => null)
      if (html === null) {
        const missing = await readFile(new URL('_not-found.html', built), 'utf8')
        return route.fulfill({
          status: 404,
          contentType: 'text/html',
          body: missing,
        })
      }
      await route.fulfill({
        contentType: 'text/html; charset=utf-8',
        body: html,
      })
    },
  )
}

test.beforeEach(async ({ page }) => serveRaw(page))

test('the landing page joins somebody', async ({ page }) => {
  await page.goto('/')
  await page.getByRole('textbox', { name: 'Email address' }).first().fill(newAddress('raw'))
  await page.getByRole('button', { name: 'Join Waitlist' }).first().click()
  await expect(
    page
      .getByRole('status')
      .filter({ hasText: /waitlist/i })
      .first(),
  ).toBeVisible()
})

test('the menu of the landing page opens', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto('/')
  const menu = page.getByRole('button', { name: 'Menu' })
  await menu.click()
  await expect(menu).toHaveAttribute('aria-expanded', 'true')
})

test('the blog is searched', async ({ page }) => {
  await page.goto('/blog')
  await page.getByRole('searchbox', { name: 'Search articles' }).fill('zzzz')
  await expect(page.getByText('No articles found matching your criteria.')).toBeVisible()
})

test('an article can be shared', async ({ page }) => {
  await page.goto('/blog/figma-to-swiftui')
  await expect(page.getByRole('button', { name: 'Share' }).first()).toBeVisible()
})

for (const path of ['/terms', '/privacy']) {
  test(`${path} is of today`, async ({ page }) => {
    await page.clock.setFixedTime(new Date('2031-03-04T12:00:00'))
    await page.goto(path)
    await expect(page.getByText('March 4, 2031')).toBeVisible()
  })
}

test('a page that does not exist logs its path', async ({ page }) => {
  const logged: string[] = []
  page.on('console', (message) => logged.push(message.text()))
  await page.goto('/nowhere')
  await expect(page.getByRole('heading', { name: 'Oops! Page not found' })).toBeVisible()
  await expect.poll(() => logged.some((text) => text.includes('/nowhere'))).toBe(true)
})

for (const [path, heading] of [
  ['/joined', "You're on the waitlist!"],
  ['/join-failed', 'Something went wrong. Please try again.'],
  ['/confirm-sent', 'Almost there'],
  ['/leave-waitlist#3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31', 'Leave the waitlist?'],
  ['/confirm-waitlist#3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31', 'Join the waitlist?'],
  ['/auth', "Sign-in can't start here"],
  ['/auth/error', "Sign-in didn't work"],
  ['/blog/not-found', 'Article Not Found'],
] as const) {
  test(`${path} says what it is for`, async ({ page }) => {
    await page.goto(path)
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
  })
}

test('the way to a plan leads whoever is signed out home', async ({ page }) => {
  await page.goto('/upgrade')
  await expect(page).toHaveURL(`${siteURL}/`)
})

test('the sign-in screen offers both providers', async ({ page }) => {
  await page.goto('/signin')
  await expect(page.getByRole('button', { name: 'Continue with Apple' })).toBeVisible()
})

test('the closed beta page signs somebody in', async ({ page }) => {
  await signInOnPages(page, newAddress('raw-beta'))
  await expect(page.getByText("You're not on the waitlist yet.")).toBeVisible()
})

test('the profile shows what a person has', async ({ page }) => {
  await signIn(page, newAddress('raw-profile'))
  await page.goto('/profile')
  await expect(page.getByText('This device')).toBeVisible()
  await page.getByRole('button', { name: 'Upgrade Plan' }).click()
  await expect(page.getByRole('dialog', { name: 'Choose your plan' })).toBeVisible()
})

test('the admin dashboard shows its tabs', async ({ page }) => {
  await signIn(page, 'admin@fledge.test')
  await page.goto('/admin')
  await page.getByRole('tab', { name: 'Support Tickets' }).click()
  await expect(page.getByRole('searchbox', { name: 'Search tickets' })).toBeVisible()
})
