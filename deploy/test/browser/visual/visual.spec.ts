import { expect, test, type Page } from '@playwright/test'

import { admin, answer, stopClock, subscriber, tester, type Answers } from './api.ts'

interface Picture {
  name: string
  path: string
  /** Who looks; nobody when missing. */
  email?: string
  answers?: Answers
  /** What stands there when the page is complete. */
  shows: (page: Page) => ReturnType<Page['getByRole']>
}

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name, exact: true })

const pictures: Picture[] = [
  { name: 'landing', path: '/', shows: heading('One sentence grows into a real iPhone app.') },
  { name: 'features', path: '/#features', shows: heading('What grows out of your sentence') },
  { name: 'blog', path: '/blog', shows: heading('Featured Articles') },
  {
    name: 'article',
    path: '/blog/swiftui-state-habit-tracker',
    shows: (page) => page.getByRole('button', { name: 'Share' }).first(),
  },
  { name: 'terms', path: '/terms', shows: heading('Terms and Conditions') },
  { name: 'not-found', path: '/no/such/page', shows: heading('Oops! Page not found') },
  {
    name: 'profile',
    path: '/profile',
    email: 'jane@fledge.test',
    answers: subscriber,
    shows: (page) => page.getByText('Next billing date: December 9, 2026'),
  },
  {
    name: 'closed-beta',
    path: '/closed-beta',
    email: 'jane@fledge.test',
    answers: tester,
    shows: (page) => page.getByRole('link', { name: 'Download for Intel Mac (v1.1.0)' }),
  },
  {
    name: 'admin-tickets',
    path: '/admin?tab=tickets',
    email: 'admin@fledge.test',
    answers: admin,
    shows: (page) => page.getByText('Page 1 of 3'),
  },
]

for (const { name, path, email = null, answers, shows } of pictures) {
  test(name, async ({ page }) => {
    await stopClock(page)
    await answer(page, email, answers)
    await page.goto(path)
    await expect(shows(page)).toBeVisible()
    await page.waitForLoadState('networkidle')
    await expect(page.locator('html[data-fonts]')).toHaveCount(0)
    await page.evaluate(() => document.fonts.ready)
    await expect(page).toHaveScreenshot(`${name}.png`)
  })
}
