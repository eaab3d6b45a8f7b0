import { boolean, nullish, number, record, string } from 'valibot'
import { api } from './api'
import { cursorPages } from './cursor-pages'
import { onSuccess, type Patch } from './on-success'
import { answerOf } from './problem'
import { part, rows, shape } from './shape'
import type {
  BulkTicketResult,
  BulkTicketUpdate,
  MyTicket,
  MyTicketPage,
  NewTicket,
  Ticket,
  TicketCategory,
  TicketDetail,
  TicketEdit,
  TicketPage,
  TicketPriority,
  TicketQueue,
  TicketReply,
  TicketStatus,
  TicketUpdate,
} from './types'

/** The filter of the staff's list; an empty value does not filter. */
export interface TicketFilter {
  status: TicketStatus | ''
  category: TicketCategory | ''
  priority: TicketPriority | ''
  search: string
  queue?: TicketQueue | ''
  tag?: string
  /** The order: the newest first, or those who have waited longest. */
  sort?: 'waiting' | ''
}

/** Tickets on a page of the staff's list. */
export const TICKET_PAGE_SIZE = 50

/** Tickets that are searched for a customer's own. */
export const PERSON_TICKETS = 20

interface PersonTickets {
  tickets: Ticket[]
  /** Not all that name the address were looked at. */
  more: boolean
}

/** A filter as parameters, without empty values. */
export function filterParams(filter: TicketFilter): Record<string, string> {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value))
}

/** The tags of the lists that are filtered by fields of a `TicketEdit`. */
export const tagsOf = (fields: readonly string[]) =>
  fields.map((id) => ({ type: 'Tickets' as const, id }))

/** The fields that a list is filtered by: an edit of one may change which tickets it has. */
function filteredBy({ priority, category, tag, queue }: TicketFilter): string[] {
  const fields: Record<keyof Omit<TicketEdit, 'ticketId'>, unknown> = {
    priority,
    category,
    tags: tag,
    assigneeId: queue,
  }
  return Object.entries(fields).flatMap(([field, value]) => (value ? [field] : []))
}

const message = shape<MyTicket['messages'][number]>({
  id: string(),
  author: string(),
  body: string(),
  created_at: string(),
})

const myTicketPage = shape<MyTicketPage>({
  data: rows(
    shape<MyTicket>({
      id: string(),
      ticket_id: string(),
      created_at: string(),
      updated_at: string(),
      status: string(),
      subject: part(string()),
      message: string(),
      messages: rows(message),
      earlier: nullish(boolean(), false),
    }),
  ),
  nextCursor: nullish(string()),
})

/** What the customer reads about a ticket that was filed. */
const filed = shape<{ data: Ticket }>({
  data: shape<Ticket>({ ticket_id: string(), user_email: string() }),
})

/** What a reply makes of its ticket. */
const replied = shape<{ data: Ticket }>({
  data: shape<Ticket>({ status: string(), updated_at: string(), version: number() }),
})

/** Rows are hardly validated: one that cannot be rendered has an error boundary. */
const ticketPage = shape<TicketPage>({
  data: rows(shape<Ticket>({ id: string(), ticket_id: string(), version: number() })),
  pagination: shape<TicketPage['pagination']>({
    page: number(),
    total: number(),
    totalPages: number(),
  }),
  snippets: part(record(string(), string())),
})

const ticketDetail = shape<{ data: TicketDetail }>({
  data: shape<TicketDetail>({
    id: string(),
    status: string(),
    priority: string(),
    category: string(),
    message: string(),
    version: number(),
    messages: rows(message),
  }),
})

/** A ticket, and the versions that edits made of it since it was loaded, in the order of their answers. */
type EditedTicket = TicketDetail & { edits?: number[] }

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    getTickets: build.query<TicketPage, TicketFilter & { page: number }>({
      query: ({ page, ...filter }) => ({
        url: 'get-support-tickets',
        params: { page, limit: TICKET_PAGE_SIZE, ...filterParams(filter) },
      }),
      rawResponseSchema: ticketPage,
      transformResponse: ({ data, pagination, snippets }: TicketPage) => ({
        data,
        pagination,
        snippets,
      }),
      providesTags: (_page, _error, filter) => ['Tickets', ...tagsOf(filteredBy(filter))],
    }),
    /** The latest tickets of a customer, newest first: the search also finds those that only name the address. */
    getPersonTickets: build.query<PersonTickets, string>({
      query: (email) => ({
        url: 'get-support-tickets',
        params: { page: 1, limit: PERSON_TICKETS, search: email },
      }),
      rawResponseSchema: ticketPage,
      transformResponse: ({ data, pagination }: TicketPage, _meta, email) => ({
        tickets: data.filter(({ user_email }) => user_email === email),
        more: pagination.total > PERSON_TICKETS,
      }),
      providesTags: ['PersonTickets'],
    }),
    /** How many customers wait for an answer. */
    getWaiting: build.query<number, void>({
      query: () => ({ url: 'get-support-tickets', params: { queue: 'waiting', limit: 1 } }),
      rawResponseSchema: ticketPage,
      transformResponse: ({ pagination }: TicketPage) => pagination.total,
      providesTags: ['Tickets'],
    }),
    getTicket: build.query<EditedTicket, string>({
      query: (id) => ({ url: 'get-support-ticket', params: { id } }),
      rawResponseSchema: ticketDetail,
      transformResponse: ({ data }: { data: TicketDetail }) => data,
      keepUnusedDataFor: 0,
    }),
    getMyTickets: build.infiniteQuery<MyTicketPage, void, string>({
      query: ({ pageParam }) => ({
        url: 'get-my-support-tickets',
        params: pageParam ? { cursor: pageParam } : {},
      }),
      rawResponseSchema: myTicketPage,
      infiniteQueryOptions: { ...cursorPages, refetchCachedPages: true },
      providesTags: ['MyTickets'],
    }),
  }),
})

/** Updates an edited ticket wherever an older version of it is cached: in its details, and in pages of the staff's list. */
export const patchTicket =
  (now: Ticket): Patch =>
  (dispatch, getState) => {
    dispatch(
      queries.util.updateQueryData('getTicket', now.id, (ticket) => {
        const { priority, category, desk, version } = now
        const { edits = [] } = ticket
        if (version <= ticket.version || edits.includes(version)) return
        if (edits.every((edit) => edit < version))
          Object.assign(ticket, { priority, category, desk })
        ticket.edits = [...edits, version]
        // Other versions in between may have messages that are not shown yet: whoever answers must not have skipped them.
        while (ticket.edits.includes(ticket.version + 1)) ticket.version += 1
      }),
    )
    for (const page of queries.util.selectCachedArgsForQuery(getState(), 'getTickets')) {
      dispatch(
        queries.util.updateQueryData('getTickets', page, ({ data }) => {
          const at = data.findIndex(({ id, version }) => id === now.id && version < now.version)
          if (at >= 0) data[at] = now
        }),
      )
    }
  }

/** Adds an accepted reply to its ticket in the cache, and updates the ticket to `now`. */
const addReply = (ticketId: string, body: string, now: Ticket) =>
  queries.util.updateQueryData('getMyTickets', undefined, ({ pages }) => {
    const ticket = pages.flatMap(({ data }) => data).find(({ id }) => id === ticketId)
    const { status, updated_at, version } = now
    if (!ticket || ticket.version >= version) return
    Object.assign(ticket, { status, updated_at, version })
    ticket.messages.push({
      id: `reply-${version}`,
      author: 'customer',
      body,
      created_at: updated_at,
    })
  })

export const supportApi = queries.injectEndpoints({
  endpoints: (build) => ({
    /** The response body is not used. */
    updateTicket: build.mutation<unknown, TicketUpdate>({
      query: (body) => ({ url: 'update-support-ticket', method: 'PUT', body }),
      // A stale ticket means that the list is stale as well.
      invalidatesTags: (_ticket, error) =>
        error && !staleTicket(error) ? [] : ['Tickets', 'MyTickets'],
    }),
    updateTickets: build.mutation<BulkTicketResult[], BulkTicketUpdate>({
      query: (body) => ({ url: 'bulk-update-support-tickets', method: 'POST', body }),
      rawResponseSchema: shape<{ results: BulkTicketResult[] }>({
        results: rows(shape<BulkTicketResult>({ ticketId: string(), ok: boolean() })),
      }),
      transformResponse: ({ results }: { results: BulkTicketResult[] }) => results,
      // Also after a failure: some may have changed although the response was lost.
      invalidatesTags: ['Tickets', 'MyTickets'],
    }),
    createTicket: build.mutation<Ticket, NewTicket>({
      query: (body) => ({ url: 'create-support-ticket', method: 'POST', body }),
      rawResponseSchema: filed,
      transformResponse: ({ data }: { data: Ticket }) => data,
      invalidatesTags: ['MyTickets'],
    }),
    replyToTicket: build.mutation<Ticket, TicketReply>({
      query: (body) => ({ url: 'reply-support-ticket', method: 'POST', body }),
      rawResponseSchema: replied,
      transformResponse: ({ data }: { data: Ticket }) => data,
      // On failure the ticket may have been closed meanwhile; on success `addReply` updates the cache.
      invalidatesTags: (_ticket, error) => (error ? ['MyTickets', 'Tickets'] : ['Tickets']),
      onQueryStarted: onSuccess((now, { ticketId, message }) => addReply(ticketId, message, now)),
    }),
  }),
})

/** The current ticket, if an update of an older version was refused (optimistic locking). */
export function staleTicket(error: unknown): Ticket | null {
  const answer = answerOf(error)
  return answer?.code === 'stale_ticket' ? ((answer.current as Ticket | undefined) ?? null) : null
}

export const {
  useGetTicketsQuery,
  useGetTicketQuery,
  useGetPersonTicketsQuery,
  useGetWaitingQuery,
  useUpdateTicketMutation,
  useUpdateTicketsMutation,
  useCreateTicketMutation,
  useGetMyTicketsInfiniteQuery,
  useReplyToTicketMutation,
} = supportApi
