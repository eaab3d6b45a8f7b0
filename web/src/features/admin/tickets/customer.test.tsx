import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StaffRole } from '@/lib/api/staff-role-api'
import type { PersonBilling, Ticket } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet, onPut } from '@/testing/server'
import {
  aTicket,
  anEntry,
  aUser,
  emailOf,
  idOf,
  numberOf,
  renderView,
  serveTickets,
  serveWaitlist,
} from '../testing'
import { TicketsView } from './tickets-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const billing: PersonBilling = {
  subscription: null,
  credits: { granted: 15, used: 2.5, held: 0, balance: 12.5, period_end: null },
  entries: [],
  nextCursor: null,
  stripeUrl: null,
  owed: 0,
  disputes: 0,
  disabled: false,
  renews: false,
}

let asked: string[]

beforeEach(() => {
  visit(`/admin?tab=tickets&ticket=${idOf(1)}`)
  asked = []
  serveTickets(() => [
    aTicket(1, { message: emailOf(1) }),
    aTicket(2, { message: emailOf(1), user_email: emailOf(1), status: 'closed' }),
    aTicket(3, { message: `somebody else's that names ${emailOf(1)}` }),
  ])
  serveWaitlist(() => [anEntry(1, 'approved')])
  onGet('/api/get-person', ({ url }) => {
    asked.push(url.searchParams.get('person') ?? '')
    return aUser(1)
  })
  onGet('/api/get-person-billing', () => billing)
})

async function openTicket(role: StaffRole = 'admin') {
  renderView(TicketsView, role)
  const element = await screen.findByRole('dialog', { name: numberOf(1) })
  const dialog = within(element)
  await dialog.findByRole('heading', { name: 'About the customer' })
  await waitFor(() => expect(dialog.queryByText(/^Loading: /)).toBeNull())
  return { element, dialog }
}

type Opened = Awaited<ReturnType<typeof openTicket>>
const fact = ({ dialog }: Opened, name: string) => dialog.getByText(name).nextElementSibling

describe('beside a ticket', () => {
  it("stand the customer's plan, credits, place on the waitlist and other tickets", async () => {
    const opened = await openTicket()
    const { dialog, element } = opened
    expect(asked).toEqual([emailOf(1)])
    expect(fact(opened, 'Plan')).toHaveTextContent('Free')
    expect(fact(opened, 'Credits left')).toHaveTextContent('12.50')
    expect(fact(opened, 'Waitlist')).toHaveTextContent('Approved')
    await userEvent.click(dialog.getByText('Latest other tickets'))
    const others = within(dialog.getByRole('list', { name: 'Latest other tickets' }))
    expect(others.getByRole('link', { name: 'TKT-000002 in a new tab' })).toHaveAttribute(
      'href',
      `/admin?tab=tickets&ticket=${idOf(2)}`,
    )
    expect(others.getByText('Closed')).toBeVisible()
    expect(dialog.getByRole('link', { name: emailOf(1) })).toHaveAttribute(
      'href',
      `/admin?tab=users&person=${encodeURIComponent(emailOf(1))}`,
    )
    expect(await violations(element)).toEqual([])
  })

  it('moderators see what is not about money', async () => {
    const opened = await openTicket('moderator')
    expect(fact(opened, 'Waitlist')).toHaveTextContent('Approved')
    expect(await opened.dialog.findByText('Latest other tickets')).toBeVisible()
    expect(opened.dialog.queryByText('Plan')).toBeNull()
    expect(asked).toEqual([])
  })

  it('stands that there is no account', async () => {
    onGet('/api/get-person', () => failure(404, 'There is no such account.'))
    expect(fact(await openTicket(), 'Plan')).toHaveTextContent('No account')
  })

  /** Serves the list, and `others` as what is found for the customer. */
  const serveOthers = (others: () => readonly Ticket[] | Response, total?: number) =>
    onGet('/api/get-support-tickets', ({ url }) => {
      const found = url.searchParams.get('search') === emailOf(1) ? others() : [aTicket(1)]
      if (found instanceof Response) return found
      const pagination = { page: 1, limit: 50, total: total ?? found.length, totalPages: 1 }
      return { data: [...found], pagination }
    })

  /** Resolves the ticket, whatever is known of its customer. */
  async function resolve({ dialog }: Opened) {
    let updated = false
    onPut('/api/update-support-ticket', () => {
      updated = true
      return { data: aTicket(1), message: '' }
    })
    await userEvent.click(dialog.getByRole('button', { name: '✓ Mark Resolved' }))
    await waitFor(() => expect(updated).toBe(true))
  }

  it('stands what could not be loaded, and the ticket can be answered without it', async () => {
    onGet('/api/get-person-billing', () => failure(400, 'No plan today.'))
    const opened = await openTicket()
    expect(fact(opened, 'Plan')).toHaveTextContent('No plan today.')
    expect(fact(opened, 'Waitlist')).toHaveTextContent('Approved')
    onGet('/api/get-person-billing', () => billing)
    await userEvent.click(opened.dialog.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(fact(opened, 'Credits left')).toHaveTextContent('12.50'))
    await resolve(opened)
  })

  it('stands that the place on the waitlist could not be loaded', async () => {
    onGet('/api/get-waitlist-users', () => failure(400, 'No waitlist today.'))
    const opened = await openTicket()
    expect(fact(opened, 'Waitlist')).toHaveTextContent('No waitlist today.')
    expect(fact(opened, 'Plan')).toHaveTextContent('Free')
    await resolve(opened)
  })

  it('stands the place on the waitlist that is behind a page of others', async () => {
    serveWaitlist(() => [{ ...anEntry(2), email: `x-${emailOf(1)}` }, anEntry(1, 'approved')], 1)
    const opened = await openTicket()
    expect(fact(opened, 'Waitlist')).toHaveTextContent('Approved')
  })

  it('stands that others of theirs may be older than what was looked at', async () => {
    serveOthers(() => [aTicket(1, { user_email: emailOf(1) })], 21)
    const text = /^No others of theirs among the newest 20 tickets/
    expect(await (await openTicket()).dialog.findByText(text)).toBeVisible()
  })

  it('stands that the other tickets could not be loaded', async () => {
    serveOthers(() => failure(400, 'No tickets today.'))
    const opened = await openTicket()
    expect(await opened.dialog.findByText('No tickets today.')).toBeVisible()
    await resolve(opened)
  })

  it('stand the other tickets without one that cannot be shown', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const theirs = { user_email: emailOf(1) }
    const broken = { ...aTicket(2, theirs), status: undefined } as unknown as Ticket
    serveOthers(() => [broken, aTicket(3, theirs)])
    const opened = await openTicket()
    await userEvent.click(await opened.dialog.findByText('Latest other tickets'))
    expect(opened.dialog.getByText('TKT-000002 could not be shown.')).toBeVisible()
    expect(opened.dialog.getByRole('link', { name: 'TKT-000003 in a new tab' })).toBeVisible()
    await resolve(opened)
  })
})
