import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Ticket, TicketUpdate } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, offline, onGet, onPut } from '@/testing/server'
import { aTicket, cardOf, idOf, inCard, numberOf, renderView, serveTickets } from '../testing'
import { TicketsView } from './tickets-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

beforeEach(() => visit('/admin'))

let tickets: Ticket[]

async function openDetails(ticket: Ticket, parts?: Parameters<typeof serveTickets>[1]) {
  tickets = [ticket]
  const served = serveTickets(() => tickets, parts)
  const view = renderView(TicketsView)
  const card = await inCard(1)
  await userEvent.click(card.getByRole('button', { name: 'View Details' }))
  const dialog = await screen.findByRole('dialog', { name: numberOf(1) })
  await waitFor(() => expect(screen.queryByText('Loading ticket...')).not.toBeInTheDocument())
  return { ...served, ...view, dialog: within(dialog), element: dialog }
}

type Opened = Awaited<ReturnType<typeof openDetails>>
const button = ({ dialog }: Opened, name: string) => dialog.getByRole('button', { name })
const response = ({ dialog }: Opened) => dialog.getByRole('textbox', { name: 'Admin Response' })
const closed = () => waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())

describe('the details', () => {
  it('tell everything about the ticket', async () => {
    const opened = await openDetails(
      aTicket(1, {
        status: 'in_progress',
        priority: 'high',
        subject: 'No icons',
        message: 'First line\nsecond line',
        app_version: '1.4.2',
        operating_system: 'macOS 15.2',
      }),
      {
        messages: [
          {
            id: idOf(71),
            author: 'staff',
            author_email: 'admin@fledge.test',
            body: 'Which icons?',
            created_at: '2025-08-28T10:00:00',
          },
        ],
        history: [
          {
            id: '1',
            at: '2025-08-28T10:00:00',
            actor_email: 'admin@fledge.test',
            field: 'status',
            from: 'open',
            to: 'in_progress',
          },
        ],
      },
    )
    const { dialog, element } = opened
    expect(element).toHaveAccessibleDescription('Support ticket details and management')
    for (const [term, definition] of [
      ['Customer', 'person-1@fledge.test'],
      ['Created', 'Aug 27, 2025 09:05'],
      ['Status', 'In progress'],
      ['Priority', 'High'],
      ['Category', 'Technical support'],
      ['App Version', '1.4.2'],
      ['OS', 'macOS 15.2'],
    ] as const) {
      expect(dialog.getByText(term).nextElementSibling).toHaveTextContent(definition)
    }
    expect(dialog.getByText(/First line\s+second line/)).toBeVisible()
    expect(dialog.getByRole('heading', { name: 'System Information' })).toBeVisible()
    const thread = dialog.getByRole('list', { name: 'Conversation' })
    expect(thread).toHaveTextContent('admin@fledge.testAug 28, 2025 10:00Which icons?')
    await userEvent.click(dialog.getByText('History (1)'))
    expect(dialog.getByRole('list', { name: 'History' })).toHaveTextContent(
      'admin@fledge.test set the status from open to in progress',
    )
    expect(response(opened)).toHaveAttribute('placeholder', 'Add your response...')
    expect(response(opened)).toHaveAttribute('rows', '4')
    expect(await violations(element)).toEqual([])
  })

  it('name nobody whose account is gone', async () => {
    const at = '2025-08-28T10:00:00'
    const { dialog } = await openDetails(aTicket(1), {
      messages: [
        { id: idOf(71), author: 'staff', author_email: '', body: 'Try again.', created_at: at },
      ],
      history: [{ id: '1', at, actor_email: '', field: 'message', from: null, to: 'staff' }],
    })
    expect(dialog.getByRole('list', { name: 'Conversation' })).toHaveTextContent(/^Former staff/)
    await userEvent.click(dialog.getByText('History (1)'))
    expect(dialog.getByRole('list', { name: 'History' })).toHaveTextContent('Former staff answered')
  })

  it.each([null, 7, {}, [null]])('can be answered without a history: %j', async (history) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const opened = await openDetails(aTicket(1), { history: history as never })
    expect(opened.dialog.getByRole('alert')).toHaveTextContent(
      'This part of the page could not be shown.',
    )
    expect(response(opened)).toBeEnabled()
  })

  it.each([
    [{}, null],
    [{ app_version: '1.0.0' }, 'App Version'],
    [{ operating_system: 'macOS 14' }, 'OS'],
  ])('have system information only if there is any (%#)', async (system, term) => {
    const { dialog } = await openDetails(aTicket(1, system))
    const names = ['App Version', 'OS'].filter((name) => dialog.queryByText(name))
    expect(names).toEqual(term ? [term] : [])
    expect(dialog.queryAllByText('System Information')).toHaveLength(term ? 1 : 0)
  })

  it('open from a link, and close without leaving the list', async () => {
    visit(`/admin?status=open&ticket=${idOf(1)}`)
    tickets = [aTicket(1, { status: 'closed' })]
    serveTickets(() => tickets)
    renderView(TicketsView)
    expect(await screen.findByRole('dialog', { name: numberOf(1) })).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await closed()
    expect(window.location.search).toBe('?status=open')
  })

  it('close when the browser goes back', async () => {
    await openDetails(aTicket(1))
    window.history.back()
    await closed()
    expect(window.location.search).toBe('')
  })

  it('say that the rest could not be loaded, and try again', async () => {
    tickets = [aTicket(1)]
    serveTickets(() => tickets)
    onGet('/api/get-support-ticket', () => failure(404, 'There is no such ticket.'))
    renderView(TicketsView)
    await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(await dialog.findByRole('alert')).toHaveTextContent('There is no such ticket.')
    serveTickets(() => tickets)
    await userEvent.click(dialog.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(dialog.queryByRole('alert')).not.toBeInTheDocument())
  })
})

describe('a decision', () => {
  it.each([
    ['open', null],
    ['in_progress', 'Mark In Progress'],
    ['resolved', '✓ Mark Resolved'],
    ['closed', 'Close Ticket'],
  ] as const)('from %s leaves all but the current status', async (status, resting) => {
    const opened = await openDetails(aTicket(1, { status }))
    for (const name of ['Mark In Progress', '✓ Mark Resolved', 'Close Ticket']) {
      if (name === resting) expect(button(opened, name)).toBeDisabled()
      else expect(button(opened, name)).toBeEnabled()
    }
  })

  it('sends the response, says so, reloads the list and closes', async () => {
    const bodies: unknown[] = []
    onPut('/api/update-support-ticket', ({ body }) => {
      bodies.push(body)
      tickets = [aTicket(1, { status: 'resolved', version: 2 })]
      return { data: tickets[0]! }
    })
    const opened = await openDetails(aTicket(1))
    await userEvent.type(response(opened), '  Update to 1.5. ')
    await userEvent.click(button(opened, '✓ Mark Resolved'))
    expect(await screen.findByText('Success')).toBeVisible()
    expect(screen.getByText('Ticket updated successfully')).toBeVisible()
    await closed()
    expect(await (await inCard(1)).findByText('Resolved')).toBeVisible()
    expect(bodies).toEqual([
      {
        ticketId: idOf(1),
        status: 'resolved',
        version: 1,
        adminResponse: 'Update to 1.5.',
        idempotencyKey: expect.any(String),
      },
    ])
    await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
    expect(await screen.findByRole('textbox', { name: 'Admin Response' })).toHaveValue('')
  })

  it('without a response sends none', async () => {
    const bodies: unknown[] = []
    onPut('/api/update-support-ticket', ({ body }) => {
      bodies.push(body)
      return { data: tickets[0]! }
    })
    const opened = await openDetails(aTicket(1))
    await userEvent.type(response(opened), '   ')
    await userEvent.click(button(opened, 'Mark In Progress'))
    await closed()
    expect(bodies).toEqual([{ ticketId: idOf(1), status: 'in_progress', version: 1 }])
  })

  it('that nobody would see is none, and one that is too long is neither cut nor sent', async () => {
    const opened = await openDetails(aTicket(1))
    await userEvent.click(response(opened))
    await userEvent.paste('\u200b \ufeff')
    expect(button(opened, 'Send Response')).toBeDisabled()
    await userEvent.paste('a'.repeat(10_001))
    expect(opened.dialog.getByRole('alert')).toHaveTextContent(
      'may have at most 10,000 characters.',
    )
    for (const name of ['Mark In Progress', '✓ Mark Resolved', 'Close Ticket', 'Send Response']) {
      expect(button(opened, name)).toBeDisabled()
    }
  })

  it('is not needed for a response alone, which leaves the status as it is', async () => {
    const bodies: TicketUpdate[] = []
    let fail = true
    onPut('/api/update-support-ticket', ({ body }) => {
      bodies.push(body as TicketUpdate)
      return fail ? failure(503, 'Not now.') : { data: tickets[0]! }
    })
    const opened = await openDetails(aTicket(1, { status: 'in_progress' }))
    expect(button(opened, 'Send Response')).toBeDisabled()
    await userEvent.type(response(opened), 'Which version?')
    await userEvent.click(button(opened, 'Send Response'))
    expect(await opened.dialog.findByText('Not now.')).toBeVisible()
    fail = false
    await waitFor(() =>
      expect(button(opened, 'Send Response')).not.toHaveAttribute('aria-disabled'),
    )
    await userEvent.click(button(opened, 'Send Response'))
    await closed()
    const idempotencyKey = bodies[0]?.idempotencyKey
    const sent = { ticketId: idOf(1), version: 1, adminResponse: 'Which version?', idempotencyKey }
    expect(idempotencyKey).toEqual(expect.any(String))
    expect(bodies).toEqual([sent, sent])
  })

  it('leads to the next ticket', async () => {
    onPut('/api/update-support-ticket', () => ({ data: tickets[0]! }))
    const opened = await openDetails(aTicket(1))
    tickets = [aTicket(1), aTicket(2)]
    await userEvent.click(button(opened, 'Close Ticket'))
    await closed()
    expect(screen.queryByRole('button', { name: /^Next ticket/ })).not.toBeInTheDocument()

    await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Close Ticket' }))
    await closed()
    const next = screen.getByRole('button', { name: 'Next ticket: TKT-000002' })
    expect(next).toHaveFocus()
    await userEvent.click(next)
    expect(await screen.findByRole('dialog', { name: numberOf(2) })).toBeVisible()
    expect(screen.queryByRole('button', { name: /^Next ticket/ })).not.toBeInTheDocument()
  })

  it('that is answered late leaves the ticket that is open by then', async () => {
    let answer = () => {}
    onPut('/api/update-support-ticket', async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return { data: tickets[0]! }
    })
    const opened = await openDetails(aTicket(1))
    tickets = [aTicket(1), aTicket(2), aTicket(3)]
    await userEvent.click(button(opened, 'Close Ticket'))
    await userEvent.click(button(opened, 'Close'))
    await closed()
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    await userEvent.click((await inCard(2)).getByRole('button', { name: 'View Details' }))
    const other = await screen.findByRole('dialog', { name: numberOf(2) })
    const back = vi.spyOn(window.history, 'back')
    answer()
    expect(await within(other).findByText('Ticket updated successfully')).toBeVisible()
    expect(back).not.toHaveBeenCalled()
    await userEvent.click(within(other).getByRole('button', { name: 'Close' }))
    await closed()
    expect(screen.queryByRole('button', { name: /^Next ticket/ })).not.toBeInTheDocument()
  })

  it('rests while it is in flight', async () => {
    onPut('/api/update-support-ticket', () => new Promise(() => {}))
    const opened = await openDetails(aTicket(1))
    await userEvent.click(button(opened, 'Close Ticket'))
    for (const name of ['Mark In Progress', '✓ Mark Resolved', 'Close Ticket']) {
      await waitFor(() => expect(button(opened, name)).toHaveAttribute('aria-disabled', 'true'))
    }
    expect(button(opened, 'Close Ticket')).toHaveFocus()
  })

  it.each([
    [() => failure(400, 'That response is too long.'), 'That response is too long.'],
    [() => new Response('{}', { status: 400 }), 'Failed to update ticket'],
    [offline, 'Failed to update ticket'],
  ])(
    'that fails says so where it can be seen, and keeps the response (%#)',
    async (answer, text) => {
      const sent = vi.fn(answer)
      onPut('/api/update-support-ticket', () => sent())
      const opened = await openDetails(aTicket(1))
      await userEvent.type(response(opened), 'Hello')
      // What the row before has shown has gone.
      await waitFor(() => expect(screen.queryByText('Error')).not.toBeInTheDocument())
      await userEvent.click(button(opened, 'Mark In Progress'))
      await waitFor(() => expect(sent).toHaveBeenCalled())
      // Inside the dialog: everything outside is covered and silent.
      expect(await opened.dialog.findByText(text)).toBeVisible()
      expect(opened.dialog.getByText('Error')).toBeVisible()
      expect(response(opened)).toHaveValue('Hello')
      await waitFor(() =>
        expect(button(opened, 'Mark In Progress')).not.toHaveAttribute('aria-disabled'),
      )
      expect(sent).toHaveBeenCalledTimes(1)
    },
  )

  it('keeps a response that was not sent for when the ticket is opened again', async () => {
    const opened = await openDetails(aTicket(1))
    await userEvent.type(response(opened), 'Half a sent')
    await userEvent.click(button(opened, 'Close'))
    await closed()
    await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
    expect(await screen.findByRole('textbox', { name: 'Admin Response' })).toHaveValue(
      'Half a sent',
    )
  })
})

describe('a response', () => {
  it('that was typed outlives the dialog, the tab and a reload, until it is sent', async () => {
    onPut('/api/update-support-ticket', () => ({ data: aTicket(1) }))
    let opened = await openDetails(aTicket(1))
    await userEvent.type(response(opened), 'Dear Ada')
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await closed()
    opened.unmount()
    visit('/admin')

    opened = await openDetails(aTicket(1))
    expect(response(opened)).toHaveValue('Dear Ada')
    await userEvent.click(button(opened, '✓ Mark Resolved'))
    await closed()
    opened.unmount()
    visit('/admin')

    opened = await openDetails(aTicket(1))
    expect(response(opened)).toHaveValue('')
  })
})

describe('a conflict', () => {
  /** Somebody else changes the ticket to `now` while it is open; updates of older ones are refused. */
  function meanwhile(now: Partial<Ticket>) {
    const bodies: TicketUpdate[] = []
    onPut('/api/update-support-ticket', ({ body }) => {
      const update = body as TicketUpdate
      bodies.push(update)
      tickets = [aTicket(1, { version: 2, ...now })]
      const [current] = tickets
      if (update.version === 2) return { data: current! }
      const error = 'This ticket has changed. Please look at it again.'
      const requestId = crypto.randomUUID()
      return HttpResponse.json({ error, code: 'stale_ticket', requestId, current }, { status: 409 })
    })
    return bodies
  }

  it('names what changed, stays, and after Refresh the response goes with the new version', async () => {
    const bodies = meanwhile({ status: 'in_progress', priority: 'urgent' })
    const opened = await openDetails(aTicket(1))
    await userEvent.type(response(opened), 'My long answer')
    await userEvent.click(button(opened, '✓ Mark Resolved'))

    const bar = await opened.dialog.findByRole('alert')
    expect(bar).toHaveTextContent(
      'This ticket has changed: status open → in progress, priority medium → urgent.',
    )
    expect(bar).toHaveTextContent('Nothing was sent, and your response is kept.')
    expect(response(opened)).toHaveValue('My long answer')
    expect(button(opened, '✓ Mark Resolved')).toHaveAttribute('aria-disabled', 'true')
    expect(await violations(opened.element)).toEqual([])

    await userEvent.click(within(bar).getByRole('button', { name: 'Refresh' }))
    await waitFor(() => expect(opened.dialog.queryByRole('alert')).not.toBeInTheDocument())
    expect(opened.dialog.getByText('Status').nextElementSibling).toHaveTextContent('In progress')
    expect(response(opened)).toHaveValue('My long answer')
    await waitFor(() => expect(button(opened, 'Mark In Progress')).toBeDisabled())

    await userEvent.click(button(opened, '✓ Mark Resolved'))
    await closed()
    expect(bodies.map(({ version, adminResponse }) => [version, adminResponse])).toEqual([
      [1, 'My long answer'],
      [2, 'My long answer'],
    ])
  })

  it('without another status is about a new message', async () => {
    meanwhile({})
    const opened = await openDetails(aTicket(1))
    await userEvent.click(button(opened, 'Close Ticket'))
    expect(await opened.dialog.findByRole('alert')).toHaveTextContent('changed: a new message.')
  })

  it('stays when refreshing fails', async () => {
    meanwhile({ status: 'closed' })
    const opened = await openDetails(aTicket(1))
    await userEvent.click(button(opened, 'Mark In Progress'))
    const bar = await opened.dialog.findByRole('alert')
    onGet('/api/get-support-ticket', () => failure(403, 'Not any more.'))
    await userEvent.click(within(bar).getByRole('button', { name: 'Refresh' }))
    expect(await screen.findAllByText('Not any more.')).not.toHaveLength(0)
    expect(opened.dialog.getByText(/status open → closed/)).toBeVisible()
  })

  it('shows the row of the list as it is now', async () => {
    meanwhile({ status: 'closed' })
    const opened = await openDetails(aTicket(1))
    await userEvent.click(button(opened, 'Mark In Progress'))
    await opened.dialog.findByRole('alert')
    expect(await within(await cardOf(1)).findByText('Closed')).toBeInTheDocument()
  })
})
