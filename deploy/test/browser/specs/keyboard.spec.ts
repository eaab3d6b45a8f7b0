import { answer } from '../visual/api.ts'
import { staff } from '../visual/staff.ts'
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
  await expect(page.getByRole('textbox', { name: 'Email address' }).first()).toBeFocused()
  const ideas = page.getByRole('group', { name: 'Choose an idea' }).getByRole('radio')
  await tabTo(page, ideas.first())
  await page.keyboard.press('ArrowRight')
  await expect(ideas.nth(1)).toBeChecked()
})

test('the menu of a phone opens, closes and is left by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 })
  await visit(page, '/')
  const menu = page.getByRole('button', { name: 'Menu' })
  const features = page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name: 'Features' })
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
  await expect(
    page
      .getByRole('article')
      .or(page.getByRole('heading', { level: 3 }))
      .first(),
  ).toContainText(/figma/i)
  await page.keyboard.press('Tab')
  const all = page.getByRole('button', { name: 'All Posts' })
  await tabTo(page, all)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await expect(all).toHaveAttribute('aria-pressed', 'false')
  await visit(page, '/blog/figma-to-swiftui')
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
  // Each card has what it waits for, in any order: what came during the walk would be a stop that was left out.
  await expect(page.getByRole('button', { name: 'Upgrade Plan' })).toBeVisible()
  await expect(page.getByText('You have not contacted us yet.')).toBeVisible()
  await expect(page.getByText('This device')).toBeVisible()
  await expect(page.getByRole('link', { name: 'Join the waitlist' })).toBeVisible()
  await walk(page)
  const dialogs: [string, string | RegExp][] = [
    ['Upgrade Plan', 'Choose your plan'],
    ['View Details', /./],
    ['Contact support', 'Support'],
  ]
  for (const [button, name] of dialogs) {
    await opensAndCloses(
      page,
      page.getByRole('button', { name: button }),
      page.getByRole('dialog', { name }),
    )
  }
  const account = page.getByRole('button', { name: 'Account menu' })
  await account.focus()
  await page.keyboard.press('Enter')
  const out = page.getByRole('menuitem', { name: 'Sign out' })
  // The menu takes the focus a frame after it shows; no person's next key is that quick.
  const menu = page.getByRole('menu')
  await expect(menu).toBeFocused()
  await page.keyboard.press('End')
  await expect(out).toHaveAttribute('data-highlighted')
  await page.keyboard.press('Escape')
  await expect(out).toBeHidden()
  await expect(account).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(menu).toBeFocused()
  await page.keyboard.press('End')
  await expect(out).toHaveAttribute('data-highlighted')
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname === '/')
})

test('staff reach all of the dashboard by keyboard, and close what they open', async ({ page }) => {
  test.setTimeout(300_000)
  // The same people, tickets and releases each time, so that the way past them stays short.
  await answer(page, 'admin@fledge.test', staff)
  const tabs = [
    '',
    '?tab=tickets',
    '?tab=users',
    '?tab=users&view=waitlist',
    '?tab=updates',
    '?tab=audit',
  ]
  for (const tab of tabs) {
    await visit(page, `/admin${tab}`)
    await expect(page.getByText('Refresh', { exact: true })).toBeVisible()
    await test.step(`all of ${tab}`, () => walk(page))
  }

  await test.step('days are typed, and a line of the log is opened', async () => {
    await tabTo(page, page.getByLabel('From', { exact: true }))
    await page.keyboard.type('11202026')
    await expect(page).toHaveURL(/from=2026-11-20/)
    await expect(page.getByLabel('From', { exact: true })).toHaveValue('2026-11-20')
    const origin = page.locator('summary').first()
    await tabTo(page, origin)
    await page.keyboard.press('Enter')
    await expect(page.getByText('request 0199f3c5').first()).toBeVisible()
  })

  await visit(page, '/admin?tab=tickets')
  const details = page.getByRole('button', { name: 'View Details' }).first()
  await opensAndCloses(page, details, page.getByRole('dialog', { name: 'TKT-000005' }))
  await opensAndCloses(
    page,
    page.getByRole('button', { name: 'Keys' }),
    page.getByRole('dialog', { name: 'Keyboard shortcuts' }),
  )
  await tabTo(page, page.getByLabel('Select TKT-000005'))
  await page.keyboard.press('Space')
  const close = page.getByRole('button', { name: 'Set closed' })
  await opensAndCloses(
    page,
    close,
    page.getByRole('alertdialog', { name: 'Set 1 ticket to closed?' }),
  )

  await visit(page, '/admin?tab=users')
  const roles = page.getByRole('button', { name: 'Change roles of jo@fledge.test' })
  await opensAndCloses(page, roles, page.getByRole('dialog', { name: 'Change roles' }))
  await tabTo(page, page.getByRole('tab', { name: 'All Users' }))
  await page.keyboard.press('ArrowRight')
  const importing = page.getByRole('button', { name: 'Import CSV' })
  await opensAndCloses(page, importing, page.getByRole('dialog', { name: 'Import a CSV file' }))
  const remove = page.getByRole('button', { name: 'Remove mona.weber@fledge.test' })
  await opensAndCloses(
    page,
    remove,
    page.getByRole('alertdialog', { name: 'Remove from the waitlist?' }),
  )
  await tabTo(page, page.getByLabel('Select all pending entries shown'))
  await page.keyboard.press('Space')
  const approve = page.getByRole('button', { name: 'Approve selected' })
  await opensAndCloses(page, approve, page.getByRole('alertdialog', { name: 'Approve 3 people?' }))

  await visit(page, '/admin?tab=updates')
  await test.step('what waits while it works keeps the focus', async () => {
    let answerNow = () => {}
    const mayAnswer = new Promise<void>((resolve) => (answerNow = resolve))
    await page.route('**/api/get-github-releases', async (route) => {
      await mayAnswer
      await route.fallback()
    })
    const refresh = page.getByRole('button', { name: 'Refresh' })
    await refresh.focus()
    await page.keyboard.press('Enter')
    await expect(refresh).toHaveAttribute('aria-disabled', 'true')
    await expect(refresh).toBeFocused()
    answerNow()
    await expect(refresh).not.toHaveAttribute('aria-disabled')
    await expect(refresh).toBeFocused()
  })
  const part = page.getByRole('group', { name: 'Rollout of version 1.2.0' })
  const asked = page.waitForRequest('**/api/set-release-rollout')
  await tabTo(page, part.getByRole('button', { name: '50%', exact: true }))
  await page.keyboard.press('Enter')
  expect((await asked).postDataJSON()).toMatchObject({ percentage: 50 })
})
