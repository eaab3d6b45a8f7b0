import { nullable, string } from 'valibot'
import { api } from './api'
import { onSuccess } from './on-success'
import { part, shape } from './shape'
import type { Invitation, Message, WaitlistStatus } from './types'

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    getWaitlistStatus: build.query<WaitlistStatus | null, void>({
      query: () => 'get-waitlist-status',
      rawResponseSchema: shape<{ status: WaitlistStatus | null }>({ status: nullable(string()) }),
      transformResponse: (answer: { status: WaitlistStatus | null }) => answer.status,
    }),
    /** Which address the invitation was sent to. */
    getInvitation: build.query<Invitation, string>({
      query: (claim) => ({ url: 'get-invitation', method: 'POST', body: { claim } }),
      rawResponseSchema: shape<Invitation>({ email: string() }),
    }),
  }),
})

/** The person's own place on the waitlist. */
export const myWaitlistApi = queries.injectEndpoints({
  endpoints: (build) => ({
    /** Uses the invitation with the person's account, which has access from then on. */
    claimInvitation: build.mutation<Message, string>({
      query: (claim) => ({ url: 'claim-invitation', method: 'POST', body: { claim } }),
      rawResponseSchema: shape<Message>({ message: part(string()) }),
      onQueryStarted: onSuccess(() =>
        queries.util.updateQueryData('getWaitlistStatus', undefined, () => 'approved' as const),
      ),
    }),
    /** Tells that the link of an invitation was opened; it is counted once. */
    openInvitation: build.mutation<null, string>({
      query: (claim) => ({ url: 'open-invitation', method: 'POST', body: { claim } }),
      extraOptions: { access: 'public' },
    }),
    /** Tells that the person has loaded the app; the first time is counted. */
    noteDownload: build.mutation<null, void>({
      query: () => ({ url: 'note-download', method: 'POST', body: {} }),
    }),
    /** Puts the sign-up on the list whose address is confirmed by the token in its email. */
    confirmWaitlist: build.mutation<Message, string>({
      query: (token) => ({ url: 'confirm-waitlist', method: 'POST', body: { token } }),
      rawResponseSchema: shape<Message>({ message: part(string()) }),
      extraOptions: { access: 'public' },
    }),
    /** Takes the person off the list who has the token from an email to it. */
    leaveWaitlist: build.mutation<Message, string>({
      query: (token) => ({ url: 'leave-waitlist', method: 'POST', params: { token } }),
      rawResponseSchema: shape<Message>({ message: part(string()) }),
      extraOptions: { access: 'public' },
    }),
  }),
})

export const {
  useGetInvitationQuery,
  useClaimInvitationMutation,
  useOpenInvitationMutation,
  useNoteDownloadMutation,
  useConfirmWaitlistMutation,
  useLeaveWaitlistMutation,
  useGetWaitlistStatusQuery,
} = myWaitlistApi
