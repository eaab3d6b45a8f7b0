import { fireEvent, screen, within } from '@testing-library/react'
import { useState, type ComponentType } from 'react'
import { useAuth } from '@/features/session/use-auth'
import type { StaffRole } from '@/lib/api/staff-role-api'
import type {
  AdminUser,
  AdminUserPage,
  Role,
  StaffTicketMessage,
  Ticket,
  TicketChange,
  TicketNote,
  TicketPage,
  WaitlistUser,
  WaitlistUserPage,
} from '@/lib/api/types'
import { renderApp } from '@/testing/render'
import { onGet } from '@/testing/server'
import { aSession } from '@/testing/session'
import { StaffRoleProvider } from './staff-role'

/** The dashboard shows a view only to a person who is known to be of the staff. */
function Staff({ View, role }: { View: ComponentType; role: StaffRole }) {
  if (useAuth().status !== 'signed-in') return null
  return (
    <StaffRoleProvider value={role}>
      <View />
    </StaffRoleProvider>
  )
}

export const renderView = (View: ComponentType, role: StaffRole = 'admin') =>
  renderApp(<Staff View={View} role={role} />, { session: aSession() })

export const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
export const emailOf = (n: number) => `person-${n}@fledge.test`

/** The row of the person with number `n`, once it is there. */
export async function rowOf(n: number) {
  const row = (await screen.findByText(emailOf(n))).closest('[role=row]')
  return within(row as HTMLElement)
}

/** A page of what was found, as the API cuts it. */
function pageOf<Item>(found: readonly Item[], url: URL, pageSize: number) {
  const from = Number(url.searchParams.get('cursor') ?? 0)
  const nextCursor = found.length > from + pageSize ? String(from + pageSize) : null
  return { data: found.slice(from, from + pageSize), nextCursor }
}

/** The account with number `n`. */
export function aUser(n: number, roles: Role[] = ['user']): AdminUser {
  return {
    id: idOf(n),
    email: emailOf(n),
    provider: 'google',
    providers: ['google'],
    roles,
    state: 'active',
    disabled_at: null,
    disabled_because: null,
    erase_at: null,
    email_off_since: null,
    created_at: '2025-08-27T12:00:00Z',
    last_sign_in_at: '2025-09-30T09:05:00Z',
    email_confirmed_at: '2025-08-27T12:00:00Z',
  }
}

/** Serves accounts as the API does: filtered, a page at a time; returns the queries asked. */
export function serveUsers(users: () => readonly AdminUser[], pageSize = 100): string[] {
  const asked: string[] = []
  onGet('/api/get-users-with-roles', ({ url }): AdminUserPage => {
    asked.push(url.search)
    const role = url.searchParams.get('role')
    const search = (url.searchParams.get('search') ?? '').toLowerCase()
    const found = users().filter(
      (user) =>
        (!role || user.roles.includes(role as Role)) && user.email.toLowerCase().includes(search),
    )
    return pageOf(found, url, pageSize)
  })
  return asked
}

/** The entry of the waitlist with number `n`. */
export function anEntry(n: number, status: WaitlistUser['status'] = 'pending'): WaitlistUser {
  return {
    id: idOf(n),
    email: emailOf(n),
    status,
    source: 'hero_section',
    created_at: '2025-08-27T12:00:00Z',
    claimed_email: null,
    mail: null,
    mail_reply: null,
    left: false,
  }
}

/** Serves entries as the API does: filtered, a page at a time; returns the queries asked. */
export function serveWaitlist(entries: () => readonly WaitlistUser[], pageSize = 100): string[] {
  const asked: string[] = []
  onGet('/api/get-waitlist-users', ({ url }): WaitlistUserPage => {
    asked.push(url.search)
    const status = url.searchParams.get('status')
    const search = url.searchParams.get('search') ?? ''
    const all = entries()
    const undelivered = all.filter(({ mail }) => mail === 'bounced' || mail === 'given_up')
    const found = (url.searchParams.get('mail') ? undelivered : all).filter(
      (e) =>
        (!status || e.status === status) &&
        (e.email.includes(search) || e.claimed_email?.includes(search)),
    )
    return { ...pageOf(found, url, pageSize), undelivered: undelivered.length, unconfirmed: 0 }
  })
  return asked
}

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
export function serveTickets(
  tickets: () => readonly Ticket[],
  parts: {
    messages?: StaffTicketMessage[]
    history?: TicketChange[]
    notes?: TicketNote[]
    pageSize?: number
    snippets?: Record<string, string>
  } = {},
): Served {
  const { messages = [], history = [], notes = [], pageSize = 50, snippets } = parts
  const asked: string[] = []
  onGet('/api/get-support-tickets', ({ url }): TicketPage => {
    asked.push(url.search)
    const {
      status,
      category,
      priority,
      search = '',
      page = '1',
    } = Object.fromEntries(url.searchParams)
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
      ...(search && snippets && { snippets }),
    }
  })
  onGet('/api/get-support-ticket', ({ url }) => {
    const ticket = tickets().find(({ id }) => id === url.searchParams.get('id'))
    if (!ticket) return new Response('{}', { status: 404 })
    return { data: { ...ticket, messages, earlier: false, notes, history, mail_trouble: null } }
  })
  return { asked }
}

/** The card of the ticket with number `n`, once it is there. */
export async function cardOf(n: number) {
  const number = await screen.findByText(numberOf(n), { selector: 'h3 *' })
  return number.closest('li') as HTMLElement
}

export const inCard = async (n: number) => within(await cardOf(n))

/** Renders a view with another tab, and returns what goes to that. */
export function renderTabs(View: ComponentType) {
  function Tabs() {
    const [here, setHere] = useState(true)
    return (
      <>
        <button data-event="another_tab" onClick={() => setHere(false)}>
          Another tab
        </button>
        {here && <View />}
      </>
    )
  }
  renderView(Tabs)
  // A modal dialog is in front of the button.
  return async () => fireEvent.click(await screen.findByText('Another tab'))
}
