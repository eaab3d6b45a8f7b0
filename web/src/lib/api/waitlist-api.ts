import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { array, boolean, nullable, nullish, number, string } from 'valibot'
import { api } from './api'
import { mergeFirstPage } from './first-page'
import type { Problem } from './problem'
import { shape } from './shape'
import type {
  BulkApproveResult,
  ImportReport,
  Message,
  WaitlistAction,
  WaitlistStatus,
  WaitlistUser,
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

interface Decision {
  waitlistUserId: string
  action: WaitlistAction
  /** The list that the person looks at. */
  shown: WaitlistFilter
}

/** As many entries as can be approved with one call. */
export const BULK_LIMIT = 100

/** The server takes its time for 50,000 lines; it gives up after a minute itself. */
const IMPORT_TIMEOUT_MS = 70_000

/** Rows are not looked into: one that cannot be shown fails alone. */
const page = shape<WaitlistUserPage>({
  data: array(shape<WaitlistUser>({ id: string(), email: string(), status: string() })),
  nextCursor: nullish(string()),
})

const queries = api.injectEndpoints({
  endpoints: (build) => ({
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
      rawResponseSchema: page,
      extraOptions: { access: 'user' },
      infiniteQueryOptions: {
        initialPageParam: '',
        getNextPageParam: (page) => page.nextCursor ?? undefined,
        refetchCachedPages: false,
      },
      providesTags: ['Waitlist'],
    }),
    /** Its first page alone. */
    getFirstWaitlistUsers: build.query<WaitlistUserPage, WaitlistFilter>({
      query: (filter) => ({ url: 'get-waitlist-users', params: waitlistParams(filter) }),
      rawResponseSchema: page,
      extraOptions: { access: 'user' },
    }),
  }),
})

type State = Parameters<typeof queries.util.selectCachedArgsForQuery>[0]
type Thunk = ThunkAction<void, State, unknown, UnknownAction>

/** Writes what became of entries, by their ids, into every list that is loaded. */
const patchEntries =
  (statuses: ReadonlyMap<string, WaitlistStatus>): Thunk =>
  (dispatch, getState) => {
    const lists = queries.util.selectCachedArgsForQuery(getState(), 'getWaitlistUsers')
    for (const filter of lists) {
      dispatch(
        queries.util.updateQueryData('getWaitlistUsers', filter, ({ pages }) => {
          for (const entry of pages.flatMap(({ data }) => data)) {
            const status = statuses.get(entry.id)
            if (status) entry.status = status
          }
        }),
      )
    }
  }

/** Fetches the first page of a list again; what was loaded after it stays. */
const refreshFirstPage =
  (filter: WaitlistFilter): Thunk =>
  async (dispatch) => {
    const fetching = queries.endpoints.getFirstWaitlistUsers.initiate(filter, {
      forceRefetch: true,
      subscribe: false,
    })
    const { data } = await dispatch(fetching)
    if (!data) return
    dispatch(
      queries.util.updateQueryData('getWaitlistUsers', filter, (list) =>
        mergeFirstPage(list, data),
      ),
    )
  }

/** Whether a call changed something, or was refused because the list is out of date. */
const answered = (finished: Promise<unknown>): Promise<boolean> =>
  finished.then(
    () => true,
    ({ error }: { error?: Problem }) => error?.kind === 'answer',
  )

export const waitlistApi = queries.injectEndpoints({
  endpoints: (build) => ({
    /** Adds by hand: without a source, with an admin's bearer. `shown` is the list to bring up to date. */
    addWaitlistUser: build.mutation<unknown, { email: string; shown: WaitlistFilter }>({
      query: ({ email }) => ({ url: 'add-waitlist-user', method: 'POST', body: { email } }),
      extraOptions: { access: 'user' },
      onQueryStarted: async ({ shown }, { dispatch, queryFulfilled }) => {
        if (await answered(queryFulfilled)) dispatch(refreshFirstPage(shown))
      },
    }),
    /** The entries with an address in theirs, newest first. A mutation, as it is not tried again. */
    findWaitlistUsers: build.mutation<WaitlistUserPage, string>({
      query: (address) => ({ url: 'get-waitlist-users', params: { search: address } }),
      rawResponseSchema: page,
      extraOptions: { access: 'user' },
    }),
    /** Changes the entry where it stands, and brings the first page of `shown` up to date. */
    decideWaitlistUser: build.mutation<Message, Decision>({
      query: ({ waitlistUserId, action }) => ({
        url: 'approve-waitlist-user',
        method: 'POST',
        body: { waitlistUserId, action },
      }),
      rawResponseSchema: shape<Message>({ message: nullish(string()) }),
      extraOptions: { access: 'user' },
      onQueryStarted: async ({ waitlistUserId, action, shown }, { dispatch, queryFulfilled }) => {
        const status = action === 'approve' ? 'approved' : 'rejected'
        const patch = () => dispatch(patchEntries(new Map([[waitlistUserId, status]])))
        if (await answered(queryFulfilled.then(patch))) dispatch(refreshFirstPage(shown))
      },
    }),
    /** Approves at most `BULK_LIMIT` entries, each by itself, and changes them where they stand. */
    approveWaitlistUsers: build.mutation<BulkApproveResult[], string[]>({
      query: (waitlistUserIds) => ({
        url: 'bulk-approve-waitlist-users',
        method: 'POST',
        body: { waitlistUserIds },
      }),
      rawResponseSchema: shape<{ results: BulkApproveResult[] }>({
        results: array(shape<BulkApproveResult>({ waitlistUserId: string(), ok: boolean() })),
      }),
      transformResponse: ({ results }: { results: BulkApproveResult[] }) => results,
      extraOptions: { access: 'user' },
      onQueryStarted: async (_ids, { dispatch, queryFulfilled }) => {
        const results = await queryFulfilled.then(
          ({ data }) => data,
          () => [],
        )
        const done = results.filter(({ ok }) => ok)
        dispatch(patchEntries(new Map(done.map((entry) => [entry.waitlistUserId, 'approved']))))
      },
    }),
    importWaitlistUsers: build.mutation<ImportReport, ArrayBuffer>({
      query: (body) => ({
        url: 'import-waitlist-users',
        method: 'POST',
        headers: { 'Content-Type': 'text/csv' },
        body,
        timeout: IMPORT_TIMEOUT_MS,
      }),
      rawResponseSchema: shape<ImportReport>({
        added: number(),
        known: number(),
        invalid: number(),
        lines: array(shape<ImportReport['lines'][number]>({ line: number(), outcome: string() })),
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
  useFindWaitlistUsersMutation,
  useDecideWaitlistUserMutation,
  useApproveWaitlistUsersMutation,
  useImportWaitlistUsersMutation,
} = waitlistApi
