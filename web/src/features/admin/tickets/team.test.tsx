import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { beforeEach, expect, it, vi } from 'vitest'
import type {
  Ticket,
  TicketChange,
  TicketDesk,
  TicketEdit,
  TicketNote,
  TicketViewer,
} from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet, onPost, unanswered } from '@/testing/server'
import { aTicket, cardOf, idOf, inCard, numberOf, renderView, serveTickets } from '../testing'
import { TicketsView } from './tickets-view'
import { useViewers } from './use-viewers'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const desk: TicketDesk = {
  last_message_at: '2025-08-28T10:00:00',
  last_message_by: 'customer',
  waiting_since: null,
  answer_due: null,
  answered_in_time: null,
  assignee_id: null,
  assignee_email: null,
  tags: [],
}
const noColleagues = () => ({ staff: [], answers: [], notices: 'off' as const })
const withDesk = (n: number): Ticket => ({ ...aTicket(n), desk })

beforeEach(() => {
  visit('/admin')
  serveTickets(() => [aTicket(1), aTicket(2)])
})

it('shows who else has the ticket open, and tells that one writes and leaves', async () => {
  const told: unknown[] = []
  const others: TicketViewer[] = [
    { email: 'alice@fledge.test', writing: false },
    { email: 'bob@fledge.test', writing: true },
  ]
  onPost('/api/view-support-ticket', ({ body }) => {
    told.push(body)
    return { version: 1, others }
  })
  renderView(TicketsView)
  await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
  const dialog = await screen.findByRole('dialog', { name: numberOf(1) })
  expect(await within(dialog).findByText(/is looking at this/)).toHaveTextContent('alice')
  expect(within(dialog).getByText(/is writing an answer/)).toHaveTextContent('bob')
  expect(await violations(dialog)).toEqual([])
  await userEvent.type(within(dialog).getByLabelText('Admin Response'), 'x')
  await waitFor(() =>
    expect(told.at(-1)).toEqual({ ticketId: idOf(1), writing: true, left: false }),
  )
  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
  await waitFor(() =>
    expect(told.at(-1)).toEqual({ ticketId: idOf(1), writing: false, left: true }),
  )
})

it('tells that the reader has left only after what it was telling', async () => {
  const told: unknown[] = []
  const answers: (() => void)[] = []
  onPost('/api/view-support-ticket', ({ body }) => {
    told.push(body)
    return new Promise((resolve) => answers.push(() => resolve({ version: 1, others: [] })))
  })
  renderView(TicketsView)
  await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
  const dialog = await screen.findByRole('dialog', { name: numberOf(1) })
  await waitFor(() => expect(told).toHaveLength(1))
  await userEvent.type(await within(dialog).findByLabelText('Admin Response'), 'x')
  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(dialog).not.toBeVisible())
  for (const n of [1, 2, 3]) {
    await waitFor(() => expect(told).toHaveLength(n))
    answers[n - 1]?.()
  }
  expect(told).toEqual([
    { ticketId: idOf(1), writing: false, left: false },
    { ticketId: idOf(1), writing: true, left: false },
    { ticketId: idOf(1), writing: false, left: true },
  ])
})

it('tells of whoever writes also while the page is out of view', async () => {
  const told: unknown[] = []
  onPost('/api/view-support-ticket', ({ body }) => {
    told.push(body)
    return { version: 1, others: [] }
  })
  const hidden = vi.spyOn(document, 'hidden', 'get').mockReturnValue(true)
  renderView(function Writer() {
    const [writing, setWriting] = useState(false)
    useViewers(idOf(1), writing, () => {})
    return <button onClick={() => setWriting(true)}>Write</button>
  })
  await userEvent.click(await screen.findByRole('button', { name: 'Write' }))
  await waitFor(() => expect(told).toEqual([{ ticketId: idOf(1), writing: true, left: false }]))
  hidden.mockRestore()
})

it('shows what others have changed, and keeps what was typed', async () => {
  let ticket = aTicket(1)
  serveTickets(() => [ticket])
  let version = ticket.version
  onPost('/api/view-support-ticket', () => ({ version, others: [] }))
  renderView(TicketsView)
  await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
  const dialog = within(await screen.findByRole('dialog', { name: numberOf(1) }))
  await waitFor(() => expect(dialog.queryByText('Loading ticket...')).not.toBeInTheDocument())
  expect(dialog.queryByText(/has just changed/)).not.toBeInTheDocument()
  ticket = { ...ticket, status: 'in_progress', version: (version += 1) }
  const response = dialog.getByLabelText('Admin Response')
  await userEvent.type(response, 'Hello') // asks again, as whoever writes tells so at once
  expect(await dialog.findByRole('alert')).toHaveTextContent('status open → in progress')
  expect(dialog.getByText('Status').nextElementSibling).toHaveTextContent('In progress')
  expect(response).toHaveValue('Hello')
  await userEvent.click(dialog.getByRole('button', { name: 'Refresh' }))
  await waitFor(() => expect(dialog.queryByRole('alert')).not.toBeInTheDocument())
  ticket = { ...ticket, version: (version += 1) }
  await userEvent.clear(response)
  expect(await dialog.findByText('The ticket has just changed.')).toBeVisible()
  await waitFor(async () => expect(await cardOf(1)).toHaveTextContent('In progress'))
})

/** Opens a ticket; `ask` has its version asked for, as whoever begins or stops writing tells so at once. */
async function openTicket(n: number) {
  await userEvent.click((await inCard(n)).getByRole('button', { name: 'View Details' }))
  const dialog = within(await screen.findByRole('dialog', { name: numberOf(n) }))
  await waitFor(() => expect(dialog.queryByText('Loading ticket...')).not.toBeInTheDocument())
  const response = dialog.getByLabelText('Admin Response')
  return { dialog, response, ask: () => userEvent.type(response, 'x') }
}

it.each([
  [1, ''],
  [2, 'The ticket has just changed.'],
])('an edit that made %i versions tells of what others have changed: %j', async (steps, told) => {
  let ticket = withDesk(1)
  const history: TicketChange[] = []
  serveTickets(() => [ticket], { history })
  onGet('/api/get-support-desk', noColleagues)
  onPost('/api/view-support-ticket', () => ({ version: 1, others: [] }))
  onPost('/api/edit-support-ticket', () => {
    ticket = { ...ticket, priority: 'low', version: ticket.version + steps }
    const at = '2025-08-28T10:00:00'
    history.push({ id: idOf(3), at, actor_email: '', field: 'priority', from: 'medium', to: 'low' })
    return { data: ticket }
  })
  renderView(TicketsView)
  const { dialog } = await openTicket(1)
  await userEvent.selectOptions(dialog.getByLabelText('Set priority'), 'Low')
  expect(await dialog.findByText('History (1)')).toBeVisible()
  await waitFor(() => expect(dialog.queryByText(/has just changed/)?.textContent ?? '').toBe(told))
})

it.each([
  ['nobody else', 0, ''],
  ['somebody else', 1, 'The ticket has just changed.'],
])('an edit during the load of another and %s make %i more: %j', async (_who, theirs, told) => {
  let ticket = withDesk(1)
  serveTickets(() => [ticket])
  onGet('/api/get-support-desk', noColleagues)
  onPost('/api/view-support-ticket', () => ({ version: 1, others: [] }))
  const answers: (() => void)[] = []
  onPost('/api/edit-support-ticket', async ({ body }) => {
    const { priority = ticket.priority, category = ticket.category } = body as TicketEdit
    const edited = { ...ticket, priority, category, version: ticket.version + 1 }
    ticket = edited
    if (category === 'billing') await new Promise<void>((resolve) => answers.push(resolve))
    return { data: edited }
  })
  renderView(TicketsView)
  const { dialog } = await openTicket(1)
  const at = '2025-08-28T10:00:00'
  const history: TicketChange[] = [
    { id: idOf(3), at, actor_email: '', field: 'category', from: null, to: 'billing' },
  ]
  const loads: (() => void)[] = []
  onGet('/api/get-support-ticket', async () => {
    await new Promise<void>((resolve) => loads.push(resolve))
    const detail = { messages: [], earlier: false, notes: [], mail_trouble: null }
    return { data: { ...ticket, ...detail, history } }
  })
  await userEvent.selectOptions(dialog.getByLabelText('Set priority'), 'Low')
  await waitFor(() => expect(loads).toHaveLength(1))
  await userEvent.selectOptions(dialog.getByLabelText('Set category'), 'Billing')
  await waitFor(() => expect(answers).toHaveLength(1))
  ticket = { ...ticket, version: ticket.version + theirs }
  loads[0]?.()
  expect(await dialog.findByText('History (1)')).toBeVisible()
  expect(dialog.queryByText(/has just changed/)).not.toBeInTheDocument()
  answers[0]?.()
  await waitFor(() => expect(loads).toHaveLength(2))
  loads[1]?.()
  await waitFor(() => expect(dialog.queryByText(/has just changed/)?.textContent ?? '').toBe(told))
})

it('a note shows itself, and tells of what others have changed', async () => {
  let ticket = withDesk(1)
  const notes: TicketNote[] = []
  serveTickets(() => [ticket], { notes })
  onGet('/api/get-support-desk', noColleagues)
  onPost('/api/view-support-ticket', () => ({ version: 1, others: [] }))
  onPost('/api/add-support-note', () => {
    const note = { id: idOf(80), created_at: '2025-08-28T10:00:00', author_email: '', body: 'VIP' }
    notes.push({ ...note, id: idOf(80 + notes.length) })
    ticket = { ...ticket, status: 'in_progress', version: 2 }
    return { data: note }
  })
  renderView(TicketsView)
  const { dialog, response } = await openTicket(1)
  await userEvent.type(response, 'Hello')
  await userEvent.click(dialog.getByText('Add an internal note'))
  const add = async () => {
    await userEvent.type(dialog.getByLabelText('Internal note'), 'VIP')
    await userEvent.click(dialog.getByRole('button', { name: 'Add note' }))
  }
  await add()
  expect(await dialog.findByText('VIP')).toBeVisible()
  expect(await dialog.findByRole('alert')).toHaveTextContent('status open → in progress')
  await add()
  await waitFor(() => expect(dialog.getAllByText('VIP')).toHaveLength(2))
  expect(dialog.getByRole('alert')).toHaveTextContent('status open → in progress')
})

it("shows and tells of another's note, also while an answer is being written", async () => {
  const notes: TicketNote[] = []
  serveTickets(() => [withDesk(1)], { notes })
  onGet('/api/get-support-desk', noColleagues)
  onPost('/api/view-support-ticket', () => {
    const lastNote = notes.at(-1)?.id
    return { version: withDesk(1).version, others: [], ...(lastNote && { lastNote }) }
  })
  renderView(TicketsView)
  const { dialog, response, ask } = await openTicket(1)
  const at = '2025-08-28T10:00:00'
  notes.push({ id: idOf(80), created_at: at, author_email: 'bob@fledge.test', body: 'A refund.' })
  await ask()
  expect(await dialog.findByText('A refund.')).toBeVisible()
  expect(dialog.getByText('The ticket has just changed.')).toBeVisible()
  expect(dialog.queryByRole('alert')).not.toBeInTheDocument()
  expect(response).toHaveValue('x')
})

it('follows a ticket while an edit of another one is on its way', async () => {
  let other = withDesk(2)
  serveTickets(() => [withDesk(1), other])
  onGet('/api/get-support-desk', noColleagues)
  onPost('/api/view-support-ticket', () => ({ version: other.version, others: [] }))
  onPost('/api/edit-support-ticket', unanswered)
  renderView(TicketsView)
  const first = await openTicket(1)
  await userEvent.selectOptions(first.dialog.getByLabelText('Set priority'), 'Low')
  await userEvent.click(first.dialog.getByRole('button', { name: 'Close' }))
  const { dialog, ask } = await openTicket(2)
  other = { ...other, status: 'in_progress', version: 2 }
  await ask()
  expect(await dialog.findByRole('alert')).toHaveTextContent('status open → in progress')
})

it('has a choice of emails, which is saved at once', async () => {
  const saved: unknown[] = []
  onGet('/api/get-support-desk', () => ({ staff: [], answers: [], notices: 'hourly' as const }))
  onPost('/api/set-support-notices', ({ body }) => {
    saved.push(body)
    return failure(503, 'Please try again in a moment.')
  })
  renderView(TicketsView, 'moderator')
  await cardOf(1)
  await userEvent.click(screen.getByRole('button', { name: 'Notifications' }))
  const dialog = screen.getByRole('dialog', { name: 'Notifications' })
  const emails = within(dialog).getByRole('combobox', { name: 'Emails' })
  await waitFor(() => expect(emails).toHaveValue('hourly'))
  expect(await violations(dialog)).toEqual([])
  await userEvent.selectOptions(emails, 'At once')
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('Please try again')
  expect(emails).toHaveValue('hourly')
  onPost('/api/set-support-notices', () => ({ notices: 'at_once' as const }))
  onGet('/api/get-support-desk', unanswered)
  await userEvent.selectOptions(emails, 'At once')
  expect(await within(dialog).findByText('Saved.')).toBeVisible()
  expect(emails).toHaveValue('at_once')
  expect(saved).toEqual([{ notices: 'at_once' }])
})

it('shows a choice of emails that only a newer server knows', async () => {
  const notices = 'once_a_week' as 'daily'
  onGet('/api/get-support-desk', () => ({ staff: [], answers: [], notices }))
  renderView(TicketsView, 'moderator')
  await userEvent.click(await screen.findByRole('button', { name: 'Notifications' }))
  const dialog = screen.getByRole('dialog', { name: 'Notifications' })
  const emails = within(dialog).getByRole('combobox', { name: 'Emails' })
  await waitFor(() => expect(emails).toHaveDisplayValue('Once a week'))
})

it('opens a ticket for a customer, once however often it is sent', async () => {
  const sent: Record<string, unknown>[] = []
  onPost('/api/open-support-ticket-for', ({ body }) => {
    sent.push(body as Record<string, unknown>)
    if (sent.length === 1) return failure(404, 'There is no account with this address.')
    return { data: aTicket(2) }
  })
  renderView(TicketsView, 'moderator')
  await cardOf(1)
  await userEvent.click(screen.getByRole('button', { name: 'New ticket' }))
  const dialog = screen.getByRole('dialog', { name: 'New ticket for a customer' })
  const form = within(dialog)
  expect(form.getByRole('button', { name: 'Open ticket' })).toBeDisabled()
  await userEvent.type(form.getByLabelText('Email of the customer'), 'ada@fledge.test')
  await userEvent.selectOptions(form.getByLabelText('Category'), 'Bug')
  await userEvent.type(form.getByLabelText('Message'), 'It crashes.')
  expect(await violations(dialog)).toEqual([])
  await userEvent.click(form.getByRole('button', { name: 'Open ticket' }))
  expect(await form.findByRole('alert')).toHaveTextContent('There is no account')
  await userEvent.click(form.getByRole('button', { name: 'Open ticket' }))
  expect(await screen.findByRole('dialog', { name: numberOf(2) })).toBeVisible()
  expect(sent[1]).toMatchObject({ email: 'ada@fledge.test', category: 'bug', subject: null })
  expect(sent[1]?.['idempotencyKey']).toBe(sent[0]?.['idempotencyKey'])
})

it('opens no ticket for a customer over another that is open by then', async () => {
  let answer = () => {}
  onPost('/api/open-support-ticket-for', async () => {
    await new Promise<void>((resolve) => (answer = resolve))
    return { data: aTicket(2) }
  })
  renderView(TicketsView, 'moderator')
  await cardOf(1)
  await userEvent.click(screen.getByRole('button', { name: 'New ticket' }))
  const form = within(screen.getByRole('dialog', { name: 'New ticket for a customer' }))
  await userEvent.type(form.getByLabelText('Email of the customer'), 'ada@fledge.test')
  await userEvent.selectOptions(form.getByLabelText('Category'), 'Bug')
  await userEvent.type(form.getByLabelText('Message'), 'It crashes.')
  await userEvent.click(form.getByRole('button', { name: 'Open ticket' }))
  await userEvent.click(form.getByRole('button', { name: 'Close' }))
  const { dialog } = await openTicket(1)
  answer()
  expect(await dialog.findByText(`${numberOf(2)} opened`)).toBeVisible()
  expect(window.location.search).toBe(`?ticket=${idOf(1)}`)
  expect(screen.getByRole('dialog', { name: numberOf(1) })).toBeVisible()
})

it('does not take what is typed while a ticket for a customer is sent', async () => {
  onPost('/api/open-support-ticket-for', unanswered)
  renderView(TicketsView, 'moderator')
  await cardOf(1)
  await userEvent.click(screen.getByRole('button', { name: 'New ticket' }))
  const form = within(screen.getByRole('dialog', { name: 'New ticket for a customer' }))
  const fields = ['Email of the customer', 'Subject (optional)', 'Message'] as const
  const mayLeave = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))
  expect(mayLeave()).toBe(true)
  await userEvent.type(form.getByLabelText('Subject (optional)'), 'x')
  expect(mayLeave()).toBe(false)
  await userEvent.click(form.getByLabelText('Email of the customer'))
  await userEvent.paste('x\u200e')
  expect(form.getByLabelText('Email of the customer')).toHaveValue('x')
  await userEvent.type(form.getByLabelText('Message'), 'x')
  await userEvent.selectOptions(form.getByLabelText('Category'), 'Bug')
  await userEvent.click(form.getByRole('button', { name: 'Open ticket' }))
  for (const field of fields) {
    await waitFor(() => expect(form.getByLabelText(field)).toHaveAttribute('readonly'))
  }
  await userEvent.selectOptions(form.getByLabelText('Category'), 'Billing')
  expect(form.getByLabelText('Category')).toHaveValue('bug')
})
