import { expect, test, type Locator, type Page } from './fixture.ts'

import { expectAccessible } from './axe.ts'
import { call, whileStopped } from './mac.ts'
import { joinWaitlist, signIn } from './people.ts'
import { mailFor, newAddress } from './stack.ts'
import { pageOf } from './tickets.ts'

const ADMIN = 'admin@fledge.test'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

/** Somebody's page, in a browser of an admin. */
async function open(admin: Page, email: string): Promise<void> {
  await admin.goto(`/admin?tab=users&person=${encodeURIComponent(email)}`)
  await expect(admin.getByRole('heading', { name: email })).toBeFocused()
}

/** Opens the dialog of an action by keyboard, and says why. */
async function begin(admin: Page, button: string, title: string, reason: string): Promise<Locator> {
  await admin.getByRole('button', { name: button, exact: true }).press('Enter')
  const dialog = admin.getByRole('dialog', { name: title })
  await dialog.getByLabel('Reason').fill(reason)
  return dialog
}

interface Act {
  button: string
  title: string
  /** What the button of the dialog says, if not the same. */
  label?: string
  done: string
  before?: (dialog: Locator) => Promise<void>
}

/** Does something to a person by keyboard, with its name as the reason. */
async function act(admin: Page, { button, title, label = button, done, before }: Act) {
  const dialog = await begin(admin, button, title, `Because: ${button}`)
  await before?.(dialog)
  await expectAccessible(admin, title)
  await dialog.getByRole('button', { name: label, exact: true }).press('Enter')
  await expect(dialog).toBeHidden()
  await expect(admin.getByText(done, { exact: true })).toBeVisible()
  // The record arrives as an event, for which the page asks again.
  const history = admin.getByRole('list', { name: 'What staff did' })
  await expect(history.getByText(`Because: ${button}`).first()).toBeVisible({ timeout: 15_000 })
}

const session = async (page: Page) => (await page.request.get('/api/auth/session')).status()

/** What staff do holds everywhere within five seconds. */
const expectSignedOut = (page: Page) =>
  expect.poll(() => session(page), { timeout: 5000 }).toBe(401)

const subjects = async (email: string) => (await mailFor(email)).map(({ subject }) => subject)

async function balance(page: Page): Promise<number> {
  const { body } = await call(page.request, 'GET', '/api/get-credit-balance')
  return (body as { data: { credit_balance: number } | null }).data?.credit_balance ?? 0
}

test('what staff do to a person holds at once, and stands in the audit log', async ({
  browser,
  page,
}) => {
  test.setTimeout(300_000)
  const email = newAddress('helped')
  await joinWaitlist(page, email)
  await signIn(page, email)
  const phone = await (await browser.newContext({ userAgent: IPHONE })).newPage()
  await signIn(phone, email)
  const admin = await pageOf(browser, ADMIN)
  const found = await call(admin.request, 'GET', `/api/get-waitlist-users?search=${email}`)
  const [entry] = (found.body as { data: { id: string }[] }).data
  const approval = { waitlistUserId: entry?.id, action: 'approve' }
  expect((await call(admin.request, 'POST', '/api/approve-waitlist-user', approval)).status).toBe(
    200,
  )
  await open(admin, email)

  await test.step('one device is signed out', async () => {
    await act(admin, {
      button: 'Sign out of Safari on iPhone',
      title: 'Sign out of Safari on iPhone?',
      label: 'Sign out',
      done: 'Signed out of Safari on iPhone',
    })
    await expectSignedOut(phone)
    expect(await session(page)).toBe(200)
    await expect(admin.getByRole('list', { name: 'Devices' }).getByRole('listitem')).toHaveCount(1)
  })

  await test.step('credits are given', async () => {
    await act(admin, {
      button: 'Adjust credits',
      title: 'Adjust credits',
      done: 'Credits adjusted',
      before: (dialog) => dialog.getByLabel('Credits').fill('5.00'),
    })
    await expect(admin.getByRole('list', { name: 'Credit history' })).toContainText('+5.00')
    expect(await balance(page)).toBe(5)
  })

  await test.step('a role is given', async () => {
    await act(admin, {
      button: 'Change roles',
      title: 'Change roles',
      label: 'Save roles',
      done: 'Roles updated successfully',
      before: (dialog) => dialog.getByLabel('Moderator').check(),
    })
    await expect.poll(() => subjects(email)).toContain('You are now a moderator of Fledge')
    await page.goto('/admin')
    await expect(page.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()
  })

  await test.step('every device is signed out', async () => {
    await act(admin, {
      button: 'Sign out everywhere',
      title: 'Sign out everywhere?',
      done: 'Signed out everywhere',
    })
    await expectSignedOut(page)
    await expect(admin.getByText('Not signed in anywhere.')).toBeVisible()
    await signIn(page, email)
  })

  await test.step('the account is disabled, and enabled again', async () => {
    await act(admin, {
      button: 'Disable',
      title: 'Disable this account?',
      done: 'Account disabled',
    })
    await expectSignedOut(page)
    await act(admin, { button: 'Enable', title: 'Enable this account?', done: 'Account enabled' })
    await signIn(page, email)
  })

  await test.step('the account is to be deleted, and stays', async () => {
    await act(admin, {
      button: 'Delete account',
      title: 'Delete this account?',
      done: 'The account will be deleted',
    })
    await expectSignedOut(page)
    const before = (await subjects(email)).length
    await act(admin, {
      button: 'Keep account',
      title: 'Keep this account?',
      done: 'The account stays',
    })
    await expect.poll(async () => (await subjects(email)).length).toBeGreaterThan(before)
    await signIn(page, email)
  })

  await test.step('the approval email is sent again, but not within a minute', async () => {
    const approvals = async () =>
      (await subjects(email)).filter((subject) => /^You have access to/.test(subject))
    await expect.poll(async () => (await approvals()).length).toBe(1)
    const title = 'Resend approval email'
    const dialog = await begin(admin, title, title, `Because: ${title}`)
    await expect(async () => {
      await dialog.getByRole('button', { name: 'Resend email' }).press('Enter')
      await expect(admin.getByText('The approval email is sent again')).toBeVisible({
        timeout: 2000,
      })
    }).toPass({ timeout: 90_000, intervals: [5000] })
    await expect.poll(async () => (await approvals()).length).toBe(2)
  })

  await admin.goto(`/admin?tab=audit&search=${encodeURIComponent(email)}`)
  const log = admin.getByRole('main')
  for (const what of [
    'Disable',
    'Enable',
    'Delete account',
    'Keep account',
    'Change roles',
    'Resend approval email',
  ]) {
    await expect(log.getByText(`Because: ${what}`).first()).toBeVisible()
  }
  await expect(log.getByText(/sent the approval email again to/)).toBeVisible()
  await expectAccessible(admin, 'the audit log')
})

test('of two admins at once the later one is told, and nothing is lost', async ({
  browser,
  page,
}) => {
  const email = newAddress('contested')
  await signIn(page, email)
  const [first, second] = [await pageOf(browser, ADMIN), await pageOf(browser, ADMIN)]
  await open(first, email)
  await open(second, email)

  await test.step('roles', async () => {
    const late = await begin(second, 'Change roles', 'Change roles', 'Helps with releases')
    await late.getByLabel('Admin').check()
    const early = await begin(first, 'Change roles', 'Change roles', 'Helps with tickets')
    await early.getByLabel('Moderator').check()
    await early.getByRole('button', { name: 'Save roles' }).press('Enter')
    await expect(early).toBeHidden()

    await late.getByRole('button', { name: 'Save roles' }).press('Enter')
    await expect(late.getByRole('alert')).toHaveText(
      'The roles were changed meanwhile, to: moderator, user.',
    )
    await expectAccessible(second, 'a conflict')
    await expect(late.getByLabel('Admin')).toBeChecked()
    await expect(late.getByLabel('Reason')).toHaveValue('Helps with releases')
    await late.getByLabel('Moderator').check()
    await late.getByRole('button', { name: 'Save roles' }).press('Enter')
    await expect(late).toBeHidden()
    const account = second.getByRole('region', { name: 'Account', exact: true })
    for (const role of ['Admin', 'Moderator']) await expect(account.getByText(role)).toBeVisible()
  })

  await test.step('credits', async () => {
    for (const admin of [first, second]) {
      const dialog = await begin(admin, 'Adjust credits', 'Adjust credits', 'For the outage')
      await dialog.getByLabel('Credits').fill('2.50')
    }
    for (const admin of [first, second]) {
      await admin.getByRole('dialog').getByRole('button', { name: 'Adjust credits' }).press('Enter')
      await expect(admin.getByText('Credits adjusted')).toBeVisible()
    }
    await expect(second.getByRole('list', { name: 'Credit history' })).toContainText('5.00')
    expect(await balance(page)).toBe(5)
  })

  await test.step('one keeps what the other deletes', async () => {
    await act(first, {
      button: 'Delete account',
      title: 'Delete this account?',
      done: 'The account will be deleted',
    })
    const dialog = await begin(second, 'Disable', 'Disable this account?', 'Spam')
    await dialog.getByRole('button', { name: 'Disable' }).press('Enter')
    await expect(dialog.getByRole('alert')).toBeVisible()
    await expect(dialog.getByLabel('Reason')).toHaveValue('Spam')
    await second.keyboard.press('Escape')
    await expect(second.getByRole('button', { name: 'Keep account' })).toBeVisible()
  })
})

test('an action of a slow and then a failing service is done once, with what was typed @stops', async ({
  browser,
  page,
}) => {
  const email = newAddress('patient')
  await signIn(page, email)
  const admin = await pageOf(browser, ADMIN)
  await open(admin, email)
  const dialog = await begin(admin, 'Adjust credits', 'Adjust credits', 'For the wait')
  await dialog.getByLabel('Credits').fill('3.00')
  const button = dialog.getByRole('button', { name: 'Adjust credits' })

  await whileStopped('billing', async () => {
    await button.press('Enter')
    await expect(dialog.getByRole('alert')).toBeVisible({ timeout: 60_000 })
    await expectAccessible(admin, 'a failed action')
    await expect(dialog.getByLabel('Credits')).toHaveValue('3.00')
    await expect(dialog.getByLabel('Reason')).toHaveValue('For the wait')
  })

  let asked = 0
  let answer = () => {}
  const held = new Promise<void>((resolve) => (answer = resolve))
  await admin.route('**/api/adjust-credits', async (route) => {
    asked += 1
    await held
    await route.continue()
  })
  await button.press('Enter')
  await expect(button).toHaveAttribute('aria-disabled', 'true')
  await admin.keyboard.press('Enter')
  await admin.keyboard.press('Escape')
  await expect(dialog).toBeVisible()
  answer()
  await expect(dialog).toBeHidden()
  await expect(admin.getByText('Credits adjusted')).toBeVisible()
  expect(asked).toBe(1)
  expect(await balance(page)).toBe(3)
})

test('without billing a person is shown but for their plan, and the billing tab says so @stops', async ({
  browser,
  page,
}) => {
  const email = newAddress('planless')
  await signIn(page, email)
  const admin = await pageOf(browser, ADMIN)
  const alerts = admin.getByRole('main').getByRole('alert')
  const plan = admin.getByRole('region', { name: 'Plan and credits' })

  await whileStopped('billing', async () => {
    await admin.goto('/admin?tab=billing')
    await expect(admin.getByText('Still trying…').first()).toBeVisible()
    await expect(alerts).toHaveCount(4, { timeout: 60_000 })
    await expect(admin.getByRole('combobox', { name: 'Month' })).toBeVisible()
    await expectAccessible(admin, 'the billing tab without billing')

    await open(admin, email)
    await expect(plan.getByText('Still trying…')).toBeVisible()
    await expect(plan.getByRole('alert')).toBeVisible({ timeout: 60_000 })
    await expect(alerts).toHaveCount(1)
    await expectAccessible(admin, 'a person without billing')
    await act(admin, {
      button: 'Sign out everywhere',
      title: 'Sign out everywhere?',
      done: 'Signed out everywhere',
    })
    await expectSignedOut(page)
  })

  await plan.getByRole('button', { name: 'Try again' }).press('Enter')
  await expect(plan.getByText('Free', { exact: true })).toBeVisible({ timeout: 60_000 })
  await expect(alerts).toHaveCount(0)
  await admin.goto('/admin?tab=billing')
  await expect(admin.getByText(/^[\d,]+ of [\d,]+$/)).toBeVisible()
  await expect(alerts).toHaveCount(0)
})

test("a person's page and the billing tab that are slow say so, and then stand", async ({
  browser,
  page,
}) => {
  const email = newAddress('slow')
  await signIn(page, email)
  const admin = await pageOf(browser, ADMIN)
  const pages = [
    ['get-person?*', `?tab=users&person=${encodeURIComponent(email)}`, 'Account'],
    ['get-finances', '?tab=billing', 'Subscriptions'],
  ] as const
  for (const [slow, query, part] of pages) {
    let answer = () => {}
    const held = new Promise<void>((resolve) => (answer = resolve))
    await admin.route(`**/api/${slow}`, async (route) => {
      await held
      await route.continue()
    })
    await admin.goto(`/admin${query}`)
    await expect(admin.getByText('Still trying…').first()).toBeVisible()
    await expectAccessible(admin, `${query} while it is slow`)
    answer()
    await expect(admin.getByRole('region', { name: part, exact: true })).toBeVisible()
    await expect(admin.getByText('Still trying…')).toHaveCount(0)
    await expect(admin.getByRole('main').getByRole('alert')).toHaveCount(0)
  }
})
