import { expect, test, type Page } from './fixture.ts'

import { expectAccessible, overflow } from './axe.ts'
import { call } from './mac.ts'
import { joinWaitlist } from './people.ts'
import { newAddress } from './stack.ts'
import { cardOf, file, makeModerator, openDetails, openTickets, pageOf } from './tickets.ts'

const lists = [
  ['users', 'All Users'],
  ['waitlist', 'Waitlist'],
] as const

/** The page of the person who has joined the waitlist and filed a ticket, as a moderator sees it. */
async function readsPerson(page: Page, email: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 2, name: email })).toBeVisible()
  await expect(page.getByRole('list', { name: 'Tickets' })).toBeVisible()
  await expect(page.getByText('Pending', { exact: true })).toBeVisible()
  await expect(page.getByRole('main').getByRole('heading', { level: 3 })).toHaveText([
    'Account',
    'Waitlist',
    'Tickets',
  ])
  await expect(page.getByRole('main').getByRole('button')).toHaveText(['New ticket'])
}

test('a moderator answers tickets, and only reads people and the waitlist', async ({
  browser,
  page,
}) => {
  const customer = newAddress('customer')
  const word = customer.split('@')[0] ?? ''
  await joinWaitlist(page, customer)
  const number = await file(await pageOf(browser, customer), `Where are my apps, ${word}?`)
  const email = newAddress('moderator')
  const moderator = await pageOf(browser, email)
  const admin = await pageOf(browser, 'admin@fledge.test')
  await makeModerator(admin, email)

  await openTickets(moderator, word)
  await expect(moderator.getByRole('tab')).toHaveText(['Support Tickets', 'User Management'])
  const dialog = await openDetails(moderator, number)
  await dialog.getByLabel('Admin Response').fill('In your profile.')
  await dialog.getByRole('button', { name: 'Mark Resolved' }).click()
  await expect(cardOf(moderator, number).getByText('resolved')).toBeVisible()
  await expectAccessible(moderator)

  for (const [view, name] of lists) {
    await moderator.goto(`/admin?tab=users&view=${view}&search=${word}`)
    const table = moderator.getByRole('table', { name })
    await expect(table.getByText(customer)).toBeVisible()
    await expect(table.getByRole('button')).toHaveCount(0)
    await expect(table.getByRole('checkbox')).toHaveCount(0)
    await expectAccessible(moderator, view)
    for (const width of [360, 768, 1440]) {
      await moderator.setViewportSize({ width, height: 900 })
      expect(await overflow(moderator), `${view}: overflow at ${width} px`).toBe(0)
    }
  }
  await openTickets(moderator, word)
  const facts = await openDetails(moderator, number)
  await facts.getByRole('link', { name: customer }).click()
  await readsPerson(moderator, customer)
  for (const [view, name] of lists) {
    await moderator.goto(`/admin?tab=users&view=${view}&search=${word}`)
    await moderator.getByRole('table', { name }).getByRole('link', { name: customer }).click()
    await readsPerson(moderator, customer)
  }
  await expectAccessible(moderator, 'a person')
  for (const width of [360, 768, 1440]) {
    await moderator.setViewportSize({ width, height: 900 })
    expect(await overflow(moderator), `a person: overflow at ${width} px`).toBe(0)
  }
  for (const path of ['/api/get-audit-log', '/api/get-admin-stats', '/api/export-waitlist-users']) {
    expect((await call(moderator.request, 'GET', path)).status, path).toBe(403)
  }
})
