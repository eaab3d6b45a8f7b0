import { nullable, string } from 'valibot'
import { api } from './api'
import { shape } from './shape'
import type {
  BulkApproveResult,
  ImportReport,
  Message,
  WaitlistAction,
  WaitlistStatus,
  WaitlistUserPage,
} from './types'

/** What the admin list is narrowed to; an empty value does not narrow. */
export interface WaitlistFilter {
  status: WaitlistStatus | ''
  search: string
}

/** A filter as parameters; only what narrows is sent. */
export function waitlistParams({ status, search }: WaitlistFilter): Record<string, string> {
  return { ...(status && { status }), ...(search && { search }) }
}

/** As many entries as can be approved with one call. */
export const BULK_LIMIT = 100

/** The server takes its time for 50,000 lines; it gives up after a minute itself. */
const IMPORT_TIMEOUT_MS = 70_000

export const waitlistApi = api.injectEndpoints({
  endpoints: (build) => ({
    /** Adds by hand: without a source, with an admin's bearer. */
    addWaitlistUser: build.mutation<Message, string>({
      query: (email) => ({ url: 'add-waitlist-user', method: 'POST', body: { email } }),
      extraOptions: { access: 'user' },
      invalidatesTags: ['Waitlist'],
    }),
    getWaitlistStatus: build.query<WaitlistStatus | null, void>({
      query: () => 'get-waitlist-status',
      rawResponseSchema: shape<{ status: WaitlistStatus | null }>({ status: nullable(string()) }),
      transformResponse: (answer: { status: WaitlistStatus | null }) => answer.status,
      extraOptions: { access: 'user' },
    }),
    getWaitlistUsers: build.infiniteQuery<WaitlistUserPage, WaitlistFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-waitlist-users',
        params: {
          ...waitlistParams(queryArg),
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
    /** Approves at most `BULK_LIMIT` entries, each by itself. */
    approveWaitlistUsers: build.mutation<BulkApproveResult[], string[]>({
      query: (waitlistUserIds) => ({
        url: 'bulk-approve-waitlist-users',
        method: 'POST',
        body: { waitlistUserIds },
      }),
      transformResponse: ({ results }: { results: BulkApproveResult[] }) => results,
      extraOptions: { access: 'user' },
      // Also after a failure: some may have been approved before the answer was lost.
      invalidatesTags: ['Waitlist'],
    }),
    importWaitlistUsers: build.mutation<ImportReport, ArrayBuffer>({
      query: (body) => ({
        url: 'import-waitlist-users',
        method: 'POST',
        headers: { 'Content-Type': 'text/csv' },
        body,
        timeout: IMPORT_TIMEOUT_MS,
      }),
      extraOptions: { access: 'user' },
      // Also after a failure: parts of the file may be in.
      invalidatesTags: ['Waitlist'],
    }),
  }),
})

export const {
  useAddWaitlistUserMutation,
  useGetWaitlistStatusQuery,
  useGetWaitlistUsersInfiniteQuery,
  useDecideWaitlistUserMutation,
  useApproveWaitlistUsersMutation,
  useImportWaitlistUsersMutation,
} = waitlistApi
