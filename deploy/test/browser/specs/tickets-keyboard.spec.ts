import { expect, test, type Locator, type Page } from './fixture.ts'

import { expectAccessible, violations } from './axe.ts'
import { tabTo } from './keyboard.ts'
import { call } from './mac.ts'
import { newAddress } from './stack.ts'
import { cardOf, file, makeModerator, openTickets, pageOf } from './tickets.ts'

test.setTimeout(300_000)

const TICKETS = 10

/** Does something that changes the ticket in the dialog, and waits until the dialog has its new version. */
async function changing(admin: Page, act: () => Promise<void>): Promise<void> {
  const fresh = admin.waitForResponse(
    (response) => response.url().includes('/get-support-ticket?') && response.ok(),
  )
  await act()
  await fresh
}

/** Chooses what begins with a letter, as a closed list does for who types it. */
async function choose(admin: Page, list: Locator, letter: string): Promise<void> {
  await tabTo(admin, list)
  await admin.keyboard.press(letter)
}

test('ten tickets are answered without a mouse', async ({ browser }) => {
  const email = newAddress('ten')
  const word = email.split('@')[0] ?? ''
  const customer = await pageOf(browser, email)
  const numbers: string[] = []
  for (let n = 1; n <= TICKETS; n += 1) numbers.unshift(await file(customer, `No. ${n} of ${word}`))
  const admin = await pageOf(browser, 'admin@fledge.test')
  const answer = { title: `7 days of ${word}`, body: 'Wait for seven days, please.' }
  const { status } = await call(admin.request, 'POST', '/api/save-canned-answer', answer)
  expect(status).toBe(200)

  await openTickets(admin, word)
  await expect(admin.getByText(`${TICKETS} tickets`, { exact: true })).toBeVisible()
  await admin.keyboard.press('j')
  for (const [index, number] of numbers.entries()) {
    await test.step(`ticket ${index + 1}`, async () => {
      if (index === 0) await expect(cardOf(admin, number)).toBeFocused()
      else await expect(admin.getByRole('button', { name: `Next ticket: ${number}` })).toBeFocused()
      await admin.keyboard.press('Enter')
      const dialog = admin.getByRole('dialog', { name: number })
      const work = dialog.getByRole('region', { name: 'Work' })
      await expect(work).toBeVisible()

      await changing(admin, () => choose(admin, work.getByLabel('Assignee'), 'm'))
      await expect(work.getByLabel('Assignee').locator('option:checked')).toHaveText('Me')

      const tags = work.getByLabel('Tags')
      await tabTo(admin, tags)
      await admin.keyboard.type('patience')
      await changing(admin, () => admin.keyboard.press('Enter'))
      await expect(tags).toHaveValue('patience')

      await choose(admin, dialog.getByLabel('Insert a canned answer'), '7')
      await expect(dialog.getByLabel('Admin Response')).toHaveValue(answer.body)
      if (index === 0) await expectAccessible(admin, 'a ticket that is worked on')
      else expect(await violations(admin)).toEqual([])

      await tabTo(admin, dialog.getByRole('button', { name: '✓ Mark Resolved' }))
      await admin.keyboard.press('Enter')
      await expect(dialog).toBeHidden()
      await expect(cardOf(admin, number).getByText('resolved')).toBeVisible()
    })
  }

  await customer.goto('/profile')
  const own = customer.getByRole('list', { name: 'My tickets' })
  await expect(own.getByText('resolved')).toHaveCount(TICKETS)
  const { body } = await call(
    admin.request,
    'GET',
    `/api/get-support-tickets?search=${word}&tag=patience&queue=&limit=50`,
  )
  expect((body as { data: unknown[] }).data).toHaveLength(TICKETS)
})

/** Types an answer into the ticket in the dialog. */
async function answer(staff: Page, dialog: Locator, text: string): Promise<void> {
  await tabTo(staff, dialog.getByLabel('Admin Response'))
  await staff.keyboard.type(text)
}

test('two of the staff at one ticket see each other, and both their answers are sent', async ({
  browser,
}) => {
  const email = newAddress('two')
  const word = email.split('@')[0] ?? ''
  const customer = await pageOf(browser, email)
  const second = await file(customer, `No. 2 of ${word}`)
  const first = await file(customer, `No. 1 of ${word}`)
  const colleague = newAddress('colleague')
  const moderator = await pageOf(browser, colleague)
  const admin = await pageOf(browser, 'admin@fledge.test')
  await makeModerator(admin, colleague)

  const dialogs: Locator[] = []
  for (const staff of [admin, moderator]) {
    await openTickets(staff, word)
    await expect(cardOf(staff, first)).toBeVisible()
    await staff.keyboard.press('j')
    await staff.keyboard.press('Enter')
    const dialog = staff.getByRole('dialog', { name: first })
    await expect(dialog.getByRole('region', { name: 'Work' })).toBeVisible()
    dialogs.push(dialog)
  }
  const [mine, theirs] = dialogs as [Locator, Locator]
  await expect(mine.getByText(`${colleague} is looking at this`)).toBeVisible({ timeout: 20_000 })
  await expect(theirs.getByText('admin@fledge.test is looking at this')).toBeVisible()
  await answer(moderator, theirs, 'Which Mac is it?')
  await answer(admin, mine, 'It is solved.')
  await expect(mine.getByText(`${colleague} is writing an answer`)).toBeVisible({ timeout: 20_000 })

  await tabTo(moderator, theirs.getByRole('button', { name: 'Mark In Progress' }))
  await moderator.keyboard.press('Enter')
  await expect(theirs).toBeHidden()
  const resolve = mine.getByRole('button', { name: '✓ Mark Resolved' })
  await tabTo(admin, resolve)
  await admin.keyboard.press('Enter')
  const bar = mine.getByRole('alert')
  await expect(bar).toContainText('status open → in progress')
  await tabTo(admin, bar.getByRole('button', { name: 'Refresh' }))
  await admin.keyboard.press('Enter')
  await expect(mine.getByRole('list', { name: 'Conversation' })).toContainText('Which Mac is it?')
  await expect(mine.getByLabel('Admin Response')).toHaveValue('It is solved.')
  await tabTo(admin, resolve)
  await admin.keyboard.press('Enter')
  await expect(mine).toBeHidden()

  for (const staff of [admin, moderator]) {
    await expect(staff.getByRole('button', { name: `Next ticket: ${second}` })).toBeFocused()
  }
  await moderator.keyboard.press('Enter')
  await expect(moderator.getByRole('dialog', { name: second })).toBeVisible()
  await expectAccessible(moderator, 'the next ticket')
  await customer.goto('/profile')
  await customer.getByText(first).click()
  const thread = customer.getByRole('list', { name: `Conversation about ${first}` })
  await expect(thread.getByRole('listitem')).toHaveText([/No. 1/, /Which Mac/, /It is solved/])
})
