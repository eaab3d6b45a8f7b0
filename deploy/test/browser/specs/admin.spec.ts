import { expect, test, type Locator, type Page } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { whileStopped } from './mac.ts'
import { joinWaitlist, signIn } from './people.ts'
import { newAddress } from './stack.ts'
import { pageOf } from './tickets.ts'

const ADMIN = 'admin@fledge.test'
const TABS = ['Overview', 'Support Tickets', 'User Management', 'Updates', 'Billing', 'Audit Log']

const refresh = (page: Page) => page.getByRole('button', { name: 'Refresh' }).click()

async function openTab(page: Page, query = ''): Promise<void> {
  await page.goto(`/admin${query}`)
  await expect(page.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()
}

/** A number of the Overview's first row, as it is written. */
const figure = (page: Page, name: string): Locator =>
  page.getByRole('term').filter({ hasText: name }).locator('xpath=following-sibling::dd[1]')

async function numberIn(locator: Locator): Promise<number> {
  await expect(locator).toHaveText(/\d/)
  return Number(/[\d,]+/.exec((await locator.textContent()) ?? '')?.[0].replaceAll(',', ''))
}

/** The rollout of the newest release, and the switch that offers it. */
function newest(page: Page) {
  const rollout = page.getByRole('group', { name: 'Rollout of version 1.1.0' })
  return {
    rollout,
    stop: (percentage: number) =>
      rollout.getByRole('button', { name: `${percentage}%`, exact: true }),
    field: rollout.getByRole('spinbutton', { name: 'Percentage' }),
    offered: page.getByRole('switch', { name: /1\.1\.0 (Enabled|Disabled)$/ }),
  }
}

/** The version that a visitor's download button would bring. */
async function onOffer(page: Page): Promise<string | undefined> {
  const builds = (await (await page.request.get('/api/get-latest-downloads')).json()) as {
    arm64?: { version: string }
  }
  return builds.arm64?.version
}

test('the overview counts what has just happened', async ({ browser, page }) => {
  await signIn(page, ADMIN)
  await openTab(page)
  const waiting = figure(page, 'Waiting for approval')
  const joined = page
    .getByRole('region', { name: 'Sign-ups' })
    .getByText(/sign-ups? in 30 days|No sign-ups in the last 30 days/)
  const signUps = async () =>
    /^no /i.test((await joined.textContent()) ?? '') ? 0 : numberIn(joined)
  const before = {
    waiting: await numberIn(waiting),
    joined: await signUps(),
  }

  const visitor = await (await browser.newContext()).newPage()
  await joinWaitlist(visitor, newAddress('counted'))

  // The statistics are cached for some seconds.
  await expect(async () => {
    await refresh(page)
    expect(await numberIn(waiting)).toBe(before.waiting + 1)
    expect(await signUps()).toBe(before.joined + 1)
  }).toPass({ timeout: 60_000 })
})

test('the audit log tells who approved whom', async ({ browser, page }) => {
  const email = newAddress('audited')
  await joinWaitlist(await (await browser.newContext()).newPage(), email)
  await signIn(page, ADMIN)
  await openTab(page, `?tab=users&view=waitlist&search=${email}`)
  await page.getByRole('button', { name: `Approve ${email}` }).click()
  await expect(page.getByText('Waitlist user approved successfully')).toBeVisible()

  await page.getByRole('tab', { name: 'Audit Log' }).click()
  await page.getByRole('searchbox', { name: 'Search the audit log' }).fill(email)
  // The search is debounced: until then the old list is shown.
  await page.waitForURL(/search=/)
  const log = page.getByRole('list', { name: 'Audit log' })
  const entry = log.getByRole('listitem').filter({ hasText: `approved ${email}` })
  await expect(async () => {
    await refresh(page)
    await expect(entry).toHaveCount(1, { timeout: 1_000 })
  }).toPass()
  await expect(entry).toContainText(`${ADMIN} approved ${email}`)
  await expect(entry.getByRole('deletion')).toHaveText('pending')
  await expect(entry.getByRole('insertion')).toHaveText('approved')
  await entry.getByText(/^From [\d.:a-f]+$/).click()
  await expect(entry.getByText(/request [0-9a-f-]{36}/)).toBeVisible()

  const actions = page.getByRole('search').getByRole('combobox')
  await actions.selectOption('Approved')
  await page.waitForURL(/action=waitlist\.approved/)
  await page.reload()
  await expect(actions).toHaveValue('waitlist.approved')
  await expect(page.getByRole('searchbox')).toHaveValue(email)
  await expect(entry).toHaveCount(1)
  await actions.selectOption('Changed a rollout')
  await expect(page.getByText('Nothing in the log matches your filters.')).toBeVisible()
  await page.goBack()
  await expect(entry).toHaveCount(1)
})

test('two admins change a release, and both see what holds', async ({ browser, page }) => {
  const other = await pageOf(browser, ADMIN)
  await signIn(page, ADMIN)
  for (const admin of [page, other]) await openTab(admin, '?tab=updates')
  const [mine, theirs] = [newest(page), newest(other)]
  await expect(theirs.stop(100)).toHaveAttribute('aria-pressed', 'true')
  try {
    await mine.stop(25).press('Enter')
    await expect(mine.rollout).toContainText('Offered to about 25% of installed apps')
    await expect(mine.stop(25)).toBeFocused()
    expect(await onOffer(page)).toBe('1.1.0')

    // The other's list is older now; what they decide holds all the same, and nothing besides it.
    await expect(theirs.stop(100)).toHaveAttribute('aria-pressed', 'true')
    await theirs.offered.click()
    await expect(theirs.offered).not.toBeChecked()
    await expect(mine.offered).toBeChecked()
    await refresh(other)
    await expect(theirs.rollout).toContainText(
      'Once enabled, offered to about 25% of installed apps',
    )
    await refresh(page)
    await expect(mine.offered).not.toBeChecked()
    await expect.poll(() => onOffer(page)).toBe('1.0.0')

    await mine.offered.click()
    await expect(mine.offered).toBeChecked()
    await mine.field.fill('0')
    await mine.field.press('Enter')
    await expect(mine.rollout).toContainText('Offered to nobody, and not available for download')
    await expect.poll(() => onOffer(page)).toBe('1.0.0')
  } finally {
    await refresh(page)
    await expect(page.getByRole('button', { name: 'Refresh' })).toBeEnabled()
    if (!(await mine.offered.isChecked())) await mine.offered.click()
    await expect(mine.offered).toBeChecked()
    await mine.stop(100).click()
    await expect(mine.stop(100)).toHaveAttribute('aria-pressed', 'true')
  }
  // Another replica may show what was, for a moment.
  await expect.poll(() => onOffer(page)).toBe('1.1.0')
})

test('with a service stopped its figures are missing, and the others stand @stops', async ({
  page,
}) => {
  await signIn(page, ADMIN)
  const downloads = page.getByRole('region', {
    name: 'Downloads',
    exact: true,
  })
  const absent = downloads.getByText('These statistics are not available right now.')
  await whileStopped('releases', async () => {
    await openTab(page)
    await expect(absent).toBeVisible()
    await expect(figure(page, 'Downloads, all time')).toHaveText('–')
    await expect(figure(page, 'Waiting for approval')).toHaveText(/^[\d,]+$/)
    await expect(figure(page, 'Open tickets')).toHaveText(/^[\d,]+$/)
    await expect(page.getByText('These statistics are not available right now.')).toHaveCount(2)

    await page.getByRole('tab', { name: 'Updates' }).click()
    await expect(page.getByText('Failed to fetch releases: Service Unavailable')).toBeVisible()
    await expect(page.getByText('Failed to fetch downloads: Service Unavailable')).toBeVisible()
    await expectAccessible(page)
  })
  await refresh(page)
  await expect(newest(page).offered).toBeVisible()
  await page.getByRole('tab', { name: 'Overview' }).click()
  await expect(figure(page, 'Downloads, all time')).toHaveText(/^[\d,]+$/)
  await expect(absent).toHaveCount(0)
})

test('what fails is said in the words of each tab', async ({ page }) => {
  await signIn(page, ADMIN)
  const fail = (path: string, status: number, body: object = {}) =>
    page.route(`**/api/${path}`, (route) => route.fulfill({ status, json: body }))

  await openTab(page, '?tab=updates')
  const { offered, stop } = newest(page)
  await fail('toggle-release-availability', 503)
  await offered.click()
  await expect(page.getByText('Failed to toggle release: Service Unavailable')).toBeVisible()
  await expect(offered).toBeChecked()
  await fail('set-release-rollout', 409)
  await stop(0).click()
  await expect(page.getByText('Failed to set rollout: Conflict')).toBeVisible()
  await expect(stop(100)).toHaveAttribute('aria-pressed', 'true')
  await fail('get-github-releases', 503)
  await refresh(page)
  await expect(page.getByText('Failed to fetch releases: Service Unavailable')).toBeVisible()
  await expectAccessible(page, 'updates that fail')

  // 403 and not 503: transient failures are retried for some seconds before the page shows them.
  await fail('get-waitlist-users*', 403)
  await openTab(page, '?tab=users&view=waitlist')
  await expect(page.getByText('Failed to fetch waitlist users')).toBeVisible()
  await fail('get-waitlist-users*', 403, { error: 'The waitlist rests.' })
  await openTab(page, '?tab=users&view=waitlist')
  await expect(page.getByText('The waitlist rests.')).toBeVisible()
  await page.route('**/api/get-users-with-roles*', (route) => route.abort())
  await openTab(page, '?tab=users')
  await expect(page.getByText('Failed to load users')).toBeVisible()
  await expectAccessible(page, 'users that fail')

  await fail('get-admin-stats', 403)
  await openTab(page)
  await expect(page.getByText('Failed to fetch statistics')).toBeVisible()
  await fail('get-audit-log*', 403)
  await openTab(page, '?tab=audit')
  await expect(page.getByText('Failed to fetch the audit log')).toBeVisible()
  await expectAccessible(page, 'an audit log that fails')
})

test('every tab is well made, on a phone and by keyboard', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 800 })
  await signIn(page, ADMIN)
  await openTab(page)
  await page.getByRole('tab', { name: 'Overview' }).focus()
  for (const [index, name] of TABS.entries()) {
    if (index > 0) await page.keyboard.press('ArrowRight')
    const tab = page.getByRole('tab', { name })
    await expect(tab).toBeFocused()
    await expect(tab).toHaveAttribute('aria-selected', 'true')
    await expect(tab).toBeInViewport({ ratio: 0.9 })
    await expect(page.getByRole('tabpanel', { name }).getByText(/^Loading/)).toHaveCount(0)
    await expectAccessible(page, name)
    expect(await overflow(page), `horizontal overflow of ${name}`).toBe(0)
  }
  // Faster than the address follows: what was pressed last counts.
  await page.keyboard.press('Home')
  await page.keyboard.press('End')
  await expect(page.getByRole('tab', { name: 'Audit Log' })).toHaveAttribute(
    'aria-selected',
    'true',
  )
  await page.waitForURL(/tab=audit/)
})
