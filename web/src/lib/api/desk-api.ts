import { array, boolean, object, string } from 'valibot'
import { api } from './api'
import { shape } from './shape'
import type {
  CannedAnswer,
  CannedAnswerDraft,
  EarlierMessages,
  EarlierStaffMessages,
  NewTicketNote,
  SupportDesk,
  Ticket,
  TicketEdit,
  TicketNote,
} from './types'

const desk = shape<SupportDesk>({
  staff: array(object({ id: string(), email: string() })),
  answers: array(object({ id: string(), title: string(), body: string() })),
})

const earlier = shape<EarlierMessages>({
  messages: array(object({ id: string(), author: string(), body: string(), created_at: string() })),
  earlier: boolean(),
})

/** The message before which a thread is asked for. */
interface Place {
  id: string
  before: string
}

const deskApi = api.injectEndpoints({
  endpoints: (build) => ({
    getDesk: build.query<SupportDesk, void>({
      query: () => 'get-support-desk',
      rawResponseSchema: desk,
      extraOptions: { access: 'user' },
      providesTags: ['Desk'],
    }),
    editTicket: build.mutation<{ data: Ticket }, TicketEdit>({
      query: (body) => ({ url: 'edit-support-ticket', method: 'POST', body }),
      extraOptions: { access: 'user' },
      invalidatesTags: ['Tickets', 'MyTickets', 'Desk'],
    }),
    addNote: build.mutation<{ data: TicketNote }, NewTicketNote>({
      query: (body) => ({ url: 'add-support-note', method: 'POST', body }),
      extraOptions: { access: 'user' },
      invalidatesTags: ['Desk'],
    }),
    saveAnswer: build.mutation<{ data: CannedAnswer }, CannedAnswerDraft>({
      query: (body) => ({ url: 'save-canned-answer', method: 'POST', body }),
      extraOptions: { access: 'user' },
      invalidatesTags: ['Desk'],
    }),
    deleteAnswer: build.mutation<unknown, { id: string }>({
      query: (body) => ({ url: 'delete-canned-answer', method: 'POST', body }),
      extraOptions: { access: 'user' },
      invalidatesTags: ['Desk'],
    }),
    getEarlierForStaff: build.query<EarlierStaffMessages, Place>({
      query: ({ id, before }) => ({ url: 'get-earlier-support-messages', params: { id, before } }),
      extraOptions: { access: 'user' },
    }),
    getMyEarlier: build.query<EarlierMessages, Place>({
      query: ({ id, before }) => ({
        url: 'get-my-earlier-support-messages',
        params: { id, before },
      }),
      rawResponseSchema: earlier,
      extraOptions: { access: 'user' },
    }),
  }),
})

export const {
  useGetDeskQuery,
  useEditTicketMutation,
  useAddNoteMutation,
  useSaveAnswerMutation,
  useDeleteAnswerMutation,
  useLazyGetEarlierForStaffQuery,
  useLazyGetMyEarlierQuery,
} = deskApi
