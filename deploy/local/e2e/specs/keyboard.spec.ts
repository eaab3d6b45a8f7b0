import { expect, test, type Page } from './fixture.ts'

import { opensAndCloses, tabTo, walk } from './keyboard.ts'
import { signIn } from './people.ts'
import { newAddress } from './stack.ts'

// Nothing slides while it is looked at.
test.use({ contextOptions: { reducedMotion: 'reduce' } })

/** Opens a page and gives its scripts the time to take over. */
async function visit(page: Page, path: string): Promise<void> {
  await page.goto(path)
  await page.waitForLoadState('networkidle')
}

/** Tab, until the focus is beyond the header. */
async function leaveHeader(page: Page): Promise<void> {
  const inside = () => page.evaluate(() => document.activeElement?.closest('header') !== null)
  for (let press = 0; press < 15 && (await inside()); press += 1) await page.keyboard.press('Tab')
  expect(await inside()).toBe(false)
}

test('the keyboard reaches all of the landing page, and past its header', async ({ page }) => {
  await visit(page, '/')
  const names = await walk(page)
  expect(names.slice(0, 3)).toEqual(['Skip to content', 'Fledge', 'Features'])
  await visit(page, '/')
  await page.keyboard.press('Tab')
  const skip = page.getByRole('link', { name: 'Skip to content' })
  await expect(skip).toBeFocused()
  await expect(skip).toBeInViewport({ ratio: 1 })
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(page.getByRole('textbox', { name: 'E-mail address' }).first()).toBeFocused()
  const ideas = page.getByRole('group', { name: 'Choose an idea' }).getByRole('radio')
  await tabTo(page, ideas.first())
  await page.keyboard.press('ArrowRight')
  await expect(ideas.nth(1)).toBeChecked()
})

test('the menu of a phone opens, closes and is left by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 })
  await visit(page, '/')
  const menu = page.getByRole('button', { name: 'Menu' })
  const features = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Features' })
  await tabTo(page, menu)
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await expect(features).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(features).toBeHidden()
  await expect(menu).toBeFocused()
  // An open menu is not left behind: what comes after it would lie below it.
  await page.keyboard.press('Enter')
  await leaveHeader(page)
  await expect(features).toBeHidden()
  await menu.focus()
  await page.keyboard.press('Enter')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await expect(features).toBeHidden()
  await expect(page).toHaveURL(/#features$/)
  await expect(page.locator('#features')).toBeInViewport()
})

test('the blog is searched, filtered and read by keyboard', async ({ page }) => {
  await visit(page, '/blog')
  await walk(page)
  await visit(page, '/blog')
  await tabTo(page, page.getByRole('searchbox'))
  await page.keyboard.type('figma')
  await expect(page.getByRole('article').or(page.getByRole('heading', { level: 3 })).first()).toContainText(/figma/i)
  await page.keyboard.press('Tab')
  const all = page.getByRole('button', { name: 'All Posts' })
  await tabTo(page, all)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(all).toHaveAttribute('aria-pressed', 'false')
  await page.goto('/blog/figma-to-swiftui')
  await walk(page)
})

test('the choice of providers is made by keyboard', async ({ page }) => {
  await visit(page, '/closed-beta')
  const button = page.getByRole('main').getByRole('button', { name: 'Sign In' })
  const dialog = page.getByRole('dialog', { name: 'Sign in' })
  await opensAndCloses(page, button, dialog)
  await page.keyboard.press('Enter')
  await tabTo(page, dialog.getByRole('button', { name: 'Continue with Google' }))
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => !url.pathname.startsWith('/closed-beta'))
  await tabTo(page, page.getByLabel('E-mail', { exact: true }))
  await page.keyboard.type(newAddress('keys'))
  await page.keyboard.press('Enter')
  await page.waitForURL('**/closed-beta')
  await expect(page.getByText("You're not on the waitlist yet.")).toBeVisible()
})

test('all that opens on the profile closes by keyboard', async ({ page }) => {
  await signIn(page, newAddress('keys'))
  await visit(page, '/profile')
  await expect(page.getByText('This device')).toBeVisible()
  await walk(page)
  const dialogs: [string, string | RegExp][] = [
    ['Upgrade Plan', 'Choose your plan'],
    ['View Details', /./],
    ['Contact support', 'Support'],
  ]
  for (const [button, name] of dialogs) {
    await opensAndCloses(page, page.getByRole('button', { name: button }), page.getByRole('dialog', { name }))
  }
  const account = page.getByRole('button', { name: 'Account menu' })
  await account.focus()
  await page.keyboard.press('Enter')
  const out = page.getByRole('menuitem', { name: 'Sign out' })
  await expect(out).toBeVisible()
  await page.keyboard.press('End')
  await expect(out).toHaveAttribute('data-highlighted')
  await page.keyboard.press('Escape')
  await expect(out).toBeHidden()
  await expect(account).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(out).toBeVisible()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname === '/')
})
