import { expect, type Browser, type Locator, type Page } from '@playwright/test'

import { call } from './mac.ts'
import { signIn } from './people.ts'
import { mailFor } from './stack.ts'

/** A page of a browser of its own, signed in. */
export async function pageOf(browser: Browser, email: string): Promise<Page> {
  const page = await (await browser.newContext()).newPage()
  await signIn(page, email)
  return page
}

/** Makes whoever is signed in by the address a moderator, which holds once the email about it is there. */
export async function makeModerator(admin: Page, email: string): Promise<void> {
  const found = await call(admin.request, 'GET', `/api/get-users-with-roles?search=${email}`)
  const [user] = (found.body as { data: { id: string }[] }).data
  const given = await call(admin.request, 'POST', '/api/set-user-roles', {
    userId: user?.id,
    roles: ['moderator'],
    reason: 'Answers tickets',
  })
  expect(given.status).toBe(200)
  await expect
    .poll(async () => (await mailFor(email)).map(({ subject }) => subject), { timeout: 30_000 })
    .toContain('You are now a moderator of Fledge')
}

/** Files a ticket with the session of a page's browser, and returns its number. */
export async function file(page: Page, message: string, subject?: string): Promise<string> {
  const { status, body } = await call(page.request, 'POST', '/api/create-support-ticket', {
    category: 'bug',
    message,
    ...(subject && { subject }),
    idempotencyKey: crypto.randomUUID(),
  })
  expect(status).toBe(200)
  return (body as { data: { ticket_id: string } }).data.ticket_id
}

/** The tickets tab, narrowed by a search. */
export async function openTickets(admin: Page, search: string): Promise<void> {
  await admin.goto(`/admin?tab=tickets&search=${encodeURIComponent(search)}`)
  await expect(admin.getByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()
}

/** The card of a ticket in the staff's list. */
export function cardOf(admin: Page, number: string): Locator {
  const list = admin.getByRole('list', { name: 'Tickets', exact: true })
  return list.getByRole('listitem').filter({ hasText: number })
}

/** Opens the details of a ticket, complete with its conversation. */
export async function openDetails(admin: Page, number: string): Promise<Locator> {
  await cardOf(admin, number).getByRole('button', { name: 'View Details' }).click()
  const dialog = admin.getByRole('dialog', { name: number })
  await expect(dialog).toBeVisible()
  await expect(dialog.getByText('Loading ticket...')).toBeHidden()
  return dialog
}
