import { api } from './api'
import type {
  Message,
  WaitlistAction,
  WaitlistSource,
  WaitlistStatus,
  WaitlistUserPage,
} from './types'

/** What the admin list is narrowed to; an empty value does not narrow. */
export interface WaitlistFilter {
  status: WaitlistStatus | ''
  search: string
}

export const waitlistApi = api.injectEndpoints({
  endpoints: (build) => ({
    joinWaitlist: build.mutation<Message, { email: string; source: WaitlistSource }>({
      query: (body) => ({ url: 'add-waitlist-user', method: 'POST', body }),
    }),
    /** Adds by hand: without a source, with an admin's bearer. */
    addWaitlistUser: build.mutation<Message, string>({
      query: (email) => ({ url: 'add-waitlist-user', method: 'POST', body: { email } }),
      extraOptions: { access: 'user' },
      invalidatesTags: ['Waitlist'],
    }),
    getWaitlistStatus: build.query<WaitlistStatus | null, void>({
      query: () => 'get-waitlist-status',
      transformResponse: (answer: { status: WaitlistStatus | null }) => answer.status,
      extraOptions: { access: 'user' },
    }),
    getWaitlistUsers: build.infiniteQuery<WaitlistUserPage, WaitlistFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-waitlist-users',
        params: {
          ...(queryArg.status && { status: queryArg.status }),
          ...(queryArg.search && { search: queryArg.search }),
          ...(pageParam && { cursor: pageParam }),
        },
      }),
      extraOptions: { access: 'user' },
      infiniteQueryOptions: {
        initialPageParam: '',
        getNextPageParam: (page) => page.nextCursor ?? undefined,
      },
      providesTags: ['Waitlist'],
    }),
    decideWaitlistUser: build.mutation<Message, { waitlistUserId: string; action: WaitlistAction }>(
      {
        query: (body) => ({ url: 'approve-waitlist-user', method: 'POST', body }),
        extraOptions: { access: 'user' },
        invalidatesTags: ['Waitlist'],
      },
    ),
  }),
})

export const {
  useAddWaitlistUserMutation,
  useGetWaitlistStatusQuery,
  useGetWaitlistUsersInfiniteQuery,
  useDecideWaitlistUserMutation,
} = waitlistApi
