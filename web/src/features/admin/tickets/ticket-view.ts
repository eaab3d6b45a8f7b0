import {
  ticketCategories,
  ticketPriorities,
  ticketQueues,
  ticketStatuses,
} from '@/components/app/tickets/words'
import type { TicketFilter } from '@/lib/api/support-api'
import { oneOf, searchOf } from '../parameters'

/** The view of the tickets, all of it in the address. */
export interface TicketView extends Required<TicketFilter> {
  /** From 1. */
  page: number
  /** The id of the ticket whose details are open; empty for none. */
  ticket: string
}

/** The API's largest page number. */
export const MAX_PAGE = 200_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

const TAG = /^[\p{L}\p{M}\p{N}-]{1,32}$/u

const tagOf = (raw: string): string => (TAG.test(raw) ? raw : '')

function pageOf(raw: string | null): number {
  const page = /^[1-9]\d{0,5}$/.test(raw ?? '') ? Number(raw) : 1
  return page <= MAX_PAGE ? page : 1
}

/** Parses the parameters of an address, which are untrusted: unknown values are ignored. */
export function parseView(params: Pick<URLSearchParams, 'get'>): TicketView {
  const ticket = params.get('ticket') ?? ''
  return {
    status: oneOf(ticketStatuses, params.get('status')),
    category: oneOf(ticketCategories, params.get('category')),
    priority: oneOf(ticketPriorities, params.get('priority')),
    search: searchOf(params.get('search') ?? ''),
    queue: oneOf(ticketQueues, params.get('queue')),
    tag: tagOf(params.get('tag') ?? ''),
    sort: oneOf(['waiting'] as const, params.get('sort')),
    page: pageOf(params.get('page')),
    ticket: UUID.test(ticket) ? ticket : '',
  }
}

/** A view as parameters; a default is an empty one, which is removed from the address. */
export function viewParams(view: TicketView): Record<keyof TicketView, string> {
  return { ...view, page: view.page === 1 ? '' : String(view.page) }
}
