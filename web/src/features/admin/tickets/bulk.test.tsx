import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BulkTicketUpdate, Ticket } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onPost } from '@/testing/server'
import { aTicket, cardOf, idOf, inCard, numberOf, renderView, serveTickets } from '../testing'
import { TicketsView } from './tickets-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

let tickets: Ticket[]

beforeEach(async () => {
  visit('/admin')
  tickets = [aTicket(1), aTicket(2, { version: 4 }), aTicket(3)]
  serveTickets(() => tickets)
})

const select = (n: number) => screen.getByRole('checkbox', { name: `Select ${numberOf(n)}` })
const all = () => screen.getByRole('checkbox', { name: 'Select all tickets on this page' })
const actions = () => within(screen.getByRole('group', { name: 'Change the selected tickets' }))

describe('a bulk change', () => {
  it('tells how it went for each ticket, and keeps those that failed selected', async () => {
    const bodies: unknown[] = []
    onPost('/api/bulk-update-support-tickets', ({ body }) => {
      bodies.push(body)
      tickets = [aTicket(1, { status: 'in_progress', version: 2 }), ...tickets.slice(1)]
      return {
        results: [
          { ticketId: idOf(1), ok: true },
          { ticketId: idOf(2), ok: false, error: 'This ticket has changed.', code: 'stale_ticket' },
        ],
      }
    })
    const { container } = renderView(TicketsView)
    await cardOf(1)
    await userEvent.click(select(1))
    await userEvent.click(select(2))
    expect(screen.getByText('2 selected')).toBeVisible()
    expect(all()).toBePartiallyChecked()
    await userEvent.click(actions().getByRole('button', { name: 'Set in progress' }))

    const result = await screen.findByRole('status', { name: 'Result' })
    expect(result).toHaveTextContent('1 of 2 tickets set to in progress')
    const lines = within(result).getAllByRole('listitem')
    expect(lines.map((line) => line.textContent)).toEqual([
      `${numberOf(2)} This ticket has changed.`,
    ])
    expect(bodies).toEqual([
      {
        status: 'in_progress',
        tickets: [
          { ticketId: idOf(1), version: 1 },
          { ticketId: idOf(2), version: 4 },
        ],
      },
    ])
    expect(await (await inCard(1)).findByText('In progress')).toBeVisible()
    expect(screen.getByText('1 selected')).toBeVisible()
    expect(select(2)).toBeChecked()
    expect(await violations(container)).toEqual([])
    await userEvent.click(within(result).getByRole('button', { name: 'Dismiss' }))
    await waitFor(() => expect(result).toBeEmptyDOMElement())
  })

  it('that customers notice asks first', async () => {
    const bodies: BulkTicketUpdate[] = []
    onPost('/api/bulk-update-support-tickets', ({ body }) => {
      bodies.push(body as BulkTicketUpdate)
      return { results: tickets.map(({ id }) => ({ ticketId: id, ok: true })) }
    })
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.click(all())
    await userEvent.click(actions().getByRole('button', { name: 'Set resolved' }))
    const dialog = within(screen.getByRole('alertdialog', { name: 'Set 3 tickets to resolved?' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
    expect(bodies).toHaveLength(0)
    await userEvent.click(actions().getByRole('button', { name: 'Set resolved' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Set resolved' }))
    expect(await screen.findByText('3 of 3 tickets set to resolved')).toBeVisible()
    expect(bodies[0]?.tickets).toHaveLength(3)
    expect(screen.getByText('3 tickets')).toBeVisible()
  })

  it('that fails as a whole says so and keeps the selection', async () => {
    onPost('/api/bulk-update-support-tickets', () => failure(503, 'Please try again in a moment.'))
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.click(select(3))
    await userEvent.click(actions().getByRole('button', { name: 'Set in progress' }))
    expect(await screen.findByText('Please try again in a moment.')).toBeVisible()
    expect(screen.getByText('1 selected')).toBeVisible()
  })
})

describe('the selection', () => {
  it('is all, none, or let go', async () => {
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.click(all())
    expect(screen.getByText('3 selected')).toBeVisible()
    await userEvent.click(select(2))
    expect(screen.getByText('2 selected')).toBeVisible()
    await userEvent.click(actions().getByRole('button', { name: 'Clear' }))
    expect(screen.getByText('3 tickets')).toBeVisible()
  })

  it('is of what can be seen: another filter lets it go', async () => {
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.click(all())
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Closed')
    await waitFor(() => expect(screen.queryByText('3 selected')).not.toBeInTheDocument())
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Open')
    await cardOf(1)
    expect(select(1)).not.toBeChecked()
  })
})
