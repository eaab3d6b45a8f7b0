import { screen, within } from '@testing-library/react'
import { useAuth } from '@/features/session/use-auth'
import type { StaffTicketMessage, Ticket, TicketChange, TicketPage } from '@/lib/api/types'
import { renderApp } from '@/testing/render'
import { onGet } from '@/testing/server'
import { aSession } from '@/testing/session'
import { TicketsView } from './tickets-view'

export const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const numberOf = (n: number) => `TKT-${String(n).padStart(6, '0')}`

/** The ticket with number `n`. */
export function aTicket(n: number, overrides: Partial<Ticket> = {}): Ticket {
  return {
    id: idOf(n),
    ticket_id: numberOf(n),
    user_email: `person-${n}@fledge.test`,
    created_at: '2025-08-27T09:05:00',
    updated_at: '2025-08-27T09:05:00',
    status: 'open',
    priority: 'medium',
    category: 'technical_support',
    subject: null,
    message: `Message ${n}`,
    app_version: null,
    operating_system: null,
    version: 1,
    ...overrides,
  }
}

interface Served {
  /** The queries that were asked, in order. */
  asked: string[]
}

/** Serves tickets as the API does: filtered, a page at a time, and each with its thread. */
export function serve(
  tickets: () => readonly Ticket[],
  parts: { messages?: StaffTicketMessage[]; history?: TicketChange[]; pageSize?: number } = {},
): Served {
  const { messages = [], history = [], pageSize = 50 } = parts
  const asked: string[] = []
  onGet('/api/get-support-tickets', ({ url }): TicketPage => {
    asked.push(url.search)
    const { status, category, priority, search = '', page } = Object.fromEntries(url.searchParams)
    const found = tickets().filter(
      (ticket) =>
        (!status || ticket.status === status) &&
        (!category || ticket.category === category) &&
        (!priority || ticket.priority === priority) &&
        (ticket.message + ticket.ticket_id).includes(search),
    )
    const from = (Number(page) - 1) * pageSize
    return {
      data: found.slice(from, from + pageSize),
      pagination: {
        page: Number(page),
        limit: pageSize,
        total: found.length,
        totalPages: Math.ceil(found.length / pageSize),
      },
    }
  })
  onGet('/api/get-support-ticket', ({ url }) => {
    const ticket = tickets().find(({ id }) => id === url.searchParams.get('id'))
    if (!ticket) return new Response('{}', { status: 404 })
    return { data: { ...ticket, messages, history } }
  })
  return { asked }
}

/** The dashboard shows the view only to a person who is known to be an admin. */
function Admin() {
  return useAuth().status === 'signed-in' ? <TicketsView /> : null
}

export const renderView = () => renderApp(<Admin />, { session: aSession() })

/** The card of the ticket with number `n`, once it is there. */
export async function cardOf(n: number) {
  const number = await screen.findByText(numberOf(n), { selector: 'h3 *' })
  return number.closest('li') as HTMLElement
}

export const inCard = async (n: number) => within(await cardOf(n))
