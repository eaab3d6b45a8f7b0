import { boolean, looseObject, number, object, string } from 'valibot'
import { api } from './api'
import { onSuccess } from './on-success'
import { part, rows, shape } from './shape'
import { patchTicket, tagsOf } from './support-api'
import type {
  CannedAnswer,
  CannedAnswerDraft,
  EarlierMessages,
  EarlierStaffMessages,
  NewTicketFor,
  NewTicketNote,
  SupportDesk,
  SupportNotices,
  Ticket,
  TicketDetail,
  TicketEdit,
  TicketNote,
  TicketView,
  TicketViewers,
} from './types'

const desk = shape<SupportDesk>({
  staff: rows(object({ id: string(), email: string() })),
  answers: rows(object({ id: string(), title: string(), body: string() })),
  notices: string(),
})

const viewers = shape<TicketViewers>({
  lastNote: part(string()),
  version: number(),
  others: rows(object({ email: string(), writing: boolean() })),
})

const earlier = {
  messages: rows(
    looseObject({ id: string(), author: string(), body: string(), created_at: string() }),
  ),
  earlier: boolean(),
}

/** The message before which a thread is asked for. */
interface Place {
  id: string
  before: string
}

/** An edit of a ticket. Its tags were made of `tagsBefore`: what others have changed of those since stays. */
export type TicketChange = TicketEdit & { tagsBefore?: readonly string[] }

/** The tags that are `now` with what was changed when `edited` was made of those `before`. */
export const mergedTags = (
  edited: readonly string[],
  before: readonly string[],
  now: readonly string[],
) => [
  ...now.filter((tag) => edited.includes(tag) || !before.includes(tag)),
  ...edited.filter((tag) => !now.includes(tag) && !before.includes(tag)),
]

export const deskApi = api.injectEndpoints({
  endpoints: (build) => ({
    getDesk: build.query<SupportDesk, void>({
      query: () => 'get-support-desk',
      rawResponseSchema: desk,
      providesTags: ['Desk'],
    }),
    /** Updates the ticket in the cache. */
    editTicket: build.mutation<{ data: Ticket }, TicketChange>({
      queryFn: async ({ tagsBefore, ...body }, _api, _options, send) => {
        if (body.tags && tagsBefore) {
          const now = await send({ url: 'get-support-ticket', params: { id: body.ticketId } })
          if (now.error) return { error: now.error }
          const ticket = (now.data as { data?: Partial<TicketDetail> } | null)?.data
          body.tags = mergedTags(body.tags, tagsBefore, ticket?.desk?.tags ?? tagsBefore)
        }
        const answer = await send({ url: 'edit-support-ticket', method: 'POST', body })
        return answer.error ? { error: answer.error } : { data: answer.data as { data: Ticket } }
      },
      responseSchema: shape<{ data: Ticket }>({
        data: shape<Ticket>({ id: string(), ticket_id: string(), version: number() }),
      }),
      // The page loads the ticket itself, to tell what others have changed meanwhile.
      invalidatesTags: (_ticket, error, edit) =>
        error
          ? // Who cannot be chosen any more has left the list of colleagues.
            ['Tickets', 'Desk']
          : // The ticket may be the editor's own.
            ['MyTickets', ...tagsOf(Object.keys(edit).filter((field) => field !== 'ticketId'))],
      onQueryStarted: onSuccess(({ data }) => patchTicket(data)),
    }),
    addNote: build.mutation<{ data: TicketNote }, NewTicketNote>({
      query: (body) => ({ url: 'add-support-note', method: 'POST', body }),
    }),
    setNotices: build.mutation<unknown, { notices: SupportNotices }>({
      query: (body) => ({ url: 'set-support-notices', method: 'POST', body }),
      invalidatesTags: ['Desk'],
    }),
    viewTicket: build.mutation<TicketViewers, TicketView>({
      query: (body) => ({ url: 'view-support-ticket', method: 'POST', body }),
      rawResponseSchema: viewers,
    }),
    openTicketFor: build.mutation<Ticket, NewTicketFor>({
      query: (body) => ({ url: 'open-support-ticket-for', method: 'POST', body }),
      rawResponseSchema: shape<{ data: Ticket }>({
        data: shape<Ticket>({ id: string(), ticket_id: string() }),
      }),
      transformResponse: ({ data }: { data: Ticket }) => data,
      invalidatesTags: ['Tickets', 'PersonTickets', 'MyTickets', 'Desk'],
    }),
    saveAnswer: build.mutation<{ data: CannedAnswer }, CannedAnswerDraft>({
      query: (body) => ({ url: 'save-canned-answer', method: 'POST', body }),
      invalidatesTags: ['Desk'],
    }),
    deleteAnswer: build.mutation<unknown, { id: string }>({
      query: (body) => ({ url: 'delete-canned-answer', method: 'POST', body }),
      invalidatesTags: ['Desk'],
    }),
    getEarlierForStaff: build.query<EarlierStaffMessages, Place>({
      query: ({ id, before }) => ({ url: 'get-earlier-support-messages', params: { id, before } }),
      rawResponseSchema: shape<EarlierStaffMessages>(earlier),
    }),
    getMyEarlier: build.query<EarlierMessages, Place>({
      query: ({ id, before }) => ({
        url: 'get-my-earlier-support-messages',
        params: { id, before },
      }),
      rawResponseSchema: shape<EarlierMessages>(earlier),
    }),
  }),
})

export const {
  useGetDeskQuery,
  useEditTicketMutation,
  useAddNoteMutation,
  useSetNoticesMutation,
  useViewTicketMutation,
  useOpenTicketForMutation,
  useSaveAnswerMutation,
  useDeleteAnswerMutation,
  useLazyGetEarlierForStaffQuery,
  useLazyGetMyEarlierQuery,
} = deskApi
