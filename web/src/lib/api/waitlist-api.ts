import type { ThunkAction, UnknownAction } from '@reduxjs/toolkit'
import { array, boolean, nullish, number, string } from 'valibot'
import { api } from './api'
import { auditedLater } from './audited-later'
import { cursorPages } from './cursor-pages'
import { mergeFirstPage } from './first-page'
import { onSuccess } from './on-success'
import { part, rows, shape } from './shape'
import type {
  BulkApproveResult,
  ImportPreview,
  ImportReading,
  ImportReport,
  UnconfirmedSignUp,
  UnconfirmedSignUpPage,
  WaitlistAction,
  WaitlistDecision,
  WaitlistStatus,
  WaitlistUser,
  WaitlistUserPage,
} from './types'

/** The filter of the admin list; an empty value does not filter. */
export interface WaitlistFilter {
  status: WaitlistStatus | ''
  search: string
  /** Only entries whose approval email bounced or was given up. */
  undelivered?: boolean
}

/** A filter as parameters, without empty values. */
export function waitlistParams(filter: WaitlistFilter): Record<string, string> {
  const { status, search, undelivered } = filter
  return {
    ...(status && { status }),
    ...(search && { search }),
    ...(undelivered && { mail: 'undelivered' }),
  }
}

interface Decision {
  waitlistUserId: string
  action: WaitlistAction
  /** Why, for `resend` alone. */
  reason?: string
  /** The filter of the list that is shown, whose first page is refreshed. */
  shown: WaitlistFilter
}

/** The API's maximum number of entries in a bulk approval. */
export const BULK_LIMIT = 100

interface ImportRequest {
  body: ArrayBuffer
  columns: ImportReading
}

const importRequest = (url: string, { body, columns }: ImportRequest) => ({
  url,
  method: 'POST' as const,
  params: { ...columns },
  headers: { 'Content-Type': 'text/csv' },
  body,
  timeout: IMPORT_TIMEOUT_MS,
})

const importReport = shape<ImportReport>({
  added: number(),
  known: number(),
  invalid: number(),
  lines: rows(shape<ImportReport['lines'][number]>({ line: number(), outcome: string() })),
})

/** Longer than the server's own timeout of a minute, which 50,000 lines may need. */
const IMPORT_TIMEOUT_MS = 70_000

/** Rows are hardly validated: one that cannot be rendered has an error boundary. */
const page = shape<WaitlistUserPage>({
  data: rows(shape<WaitlistUser>({ id: string(), email: string(), status: string() })),
  nextCursor: nullish(string()),
})

const queries = api.injectEndpoints({
  endpoints: (build) => ({
    getWaitlistUsers: build.infiniteQuery<WaitlistUserPage, WaitlistFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-waitlist-users',
        params: {
          ...waitlistParams(queryArg),
          ...(pageParam && { cursor: pageParam }),
        },
      }),
      rawResponseSchema: page,
      infiniteQueryOptions: cursorPages,
      providesTags: ['Waitlist'],
    }),
    /** The sign-ups whose address is yet to be confirmed, by a part of it, newest first. */
    getUnconfirmedSignUps: build.infiniteQuery<UnconfirmedSignUpPage, void, string>({
      query: ({ pageParam }) => ({
        url: 'get-unconfirmed-sign-ups',
        params: pageParam ? { cursor: pageParam } : {},
      }),
      rawResponseSchema: shape<UnconfirmedSignUpPage>({
        data: rows(shape<UnconfirmedSignUp>({ email: string(), source: string() })),
        nextCursor: nullish(string()),
      }),
      infiniteQueryOptions: cursorPages,
      keepUnusedDataFor: 0,
    }),
    /** Only the first page of the list. */
    getFirstWaitlistUsers: build.query<WaitlistUserPage, WaitlistFilter>({
      query: (filter) => ({ url: 'get-waitlist-users', params: waitlistParams(filter) }),
      rawResponseSchema: page,
    }),
  }),
})

type State = Parameters<typeof queries.util.selectCachedArgsForQuery>[0]
type Thunk = ThunkAction<void, State, unknown, UnknownAction>

/** What an action makes of an entry. */
const effects: Record<WaitlistAction, Partial<WaitlistUser>> = {
  approve: { status: 'approved', mail: 'waiting', mail_reply: null },
  undo: { status: 'pending', mail: null, mail_reply: null },
  remove: { status: 'rejected', mail: null, mail_reply: null },
  resend: { mail: 'waiting', mail_reply: null },
}

/** What the API tells of an entry after an action; what is left out is no longer so. */
type Decided = Pick<WaitlistDecision, 'undo_until' | 'invitation_expired_at'>

/** Updates entries, by their ids, in every cached list. */
const patchEntries =
  (decided: ReadonlyMap<string, Decided>, action: WaitlistAction): Thunk =>
  (dispatch, getState) => {
    const lists = queries.util.selectCachedArgsForQuery(getState(), 'getWaitlistUsers')
    for (const filter of lists) {
      dispatch(
        queries.util.updateQueryData('getWaitlistUsers', filter, ({ pages }) => {
          for (const entry of pages.flatMap(({ data }) => data)) {
            const told = decided.get(entry.id)
            if (!told) continue
            const { undo_until, invitation_expired_at } = told
            Object.assign(entry, effects[action], { undo_until, invitation_expired_at })
            if (action === 'undo' && entry.left) entry.status = 'rejected'
          }
        }),
      )
    }
  }

const patchDecided = onSuccess((told: WaitlistDecision, { waitlistUserId, action }: Decision) =>
  patchEntries(new Map([[waitlistUserId, told]]), action),
)

/** Refetches the first page of a list; the pages after it stay cached. */
const refreshFirstPage =
  (filter: WaitlistFilter): Thunk =>
  async (dispatch) => {
    // An answer that is still on its way would bring back what it was asked before.
    await dispatch(queries.util.getRunningQueryThunk('getWaitlistUsers', filter))
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

/** Resolves once a change has ended. Also after a failure: it may be made although its answer was lost. */
const ended = (finished: Promise<unknown>): Promise<unknown> => finished.catch(() => null)

export const waitlistApi = queries.injectEndpoints({
  endpoints: (build) => ({
    /** Adds an entry as an admin (no source, with the bearer), and refreshes the first page of `shown`. */
    addWaitlistUser: build.mutation<unknown, { email: string; shown: WaitlistFilter }>({
      query: ({ email }) => ({ url: 'add-waitlist-user', method: 'POST', body: { email } }),
      onQueryStarted: async ({ shown }, { dispatch, queryFulfilled }) => {
        await ended(queryFulfilled)
        dispatch(refreshFirstPage(shown))
      },
    }),
    /** A page of the entries with an address in theirs, newest first. A mutation, because those are not retried. */
    findWaitlistUsers: build.mutation<WaitlistUserPage, { search: string; cursor?: string }>({
      query: (params) => ({ url: 'get-waitlist-users', params }),
      rawResponseSchema: page,
    }),
    /** Updates the entry in the cached lists, and refreshes the first page of `shown`. */
    decideWaitlistUser: build.mutation<WaitlistDecision, Decision>({
      query: ({ waitlistUserId, action, reason }) => ({
        url: 'approve-waitlist-user',
        method: 'POST',
        body: { waitlistUserId, action, reason },
      }),
      rawResponseSchema: shape<WaitlistDecision>({
        message: part(string()),
        undo_until: part(string()),
      }),
      onQueryStarted: async (decision, started) => {
        void auditedLater(decision, started)
        await patchDecided(decision, started)
        await ended(started.queryFulfilled)
        started.dispatch(refreshFirstPage(decision.shown))
      },
    }),
    /** Approves at most `BULK_LIMIT` entries, each by itself, and updates them in the cached lists. */
    approveWaitlistUsers: build.mutation<BulkApproveResult[], string[]>({
      query: (waitlistUserIds) => ({
        url: 'bulk-approve-waitlist-users',
        method: 'POST',
        body: { waitlistUserIds },
      }),
      rawResponseSchema: shape<{ results: BulkApproveResult[] }>({
        results: rows(shape<BulkApproveResult>({ waitlistUserId: string(), ok: boolean() })),
      }),
      transformResponse: ({ results }: { results: BulkApproveResult[] }) => results,
      onQueryStarted: onSuccess((results: BulkApproveResult[]) =>
        patchEntries(
          new Map(
            results
              .filter(({ ok }) => ok)
              .map((result) => [result.waitlistUserId, result] as const),
          ),
          'approve',
        ),
      ),
    }),
    /** Tells what an import would do, and changes nothing. */
    previewWaitlistImport: build.mutation<ImportPreview, ImportRequest>({
      query: (request) => importRequest('preview-waitlist-import', request),
      rawResponseSchema: shape<ImportPreview>({
        report: importReport,
        head: nullish(number()),
        columns: array(
          shape<ImportPreview['columns'][number]>({ title: string(), sample: string() }),
        ),
        rows: rows(shape<ImportPreview['rows'][number]>({ line: number(), email: string() })),
      }),
    }),
    importWaitlistUsers: build.mutation<ImportReport, ImportRequest>({
      query: (request) => importRequest('import-waitlist-users', request),
      rawResponseSchema: importReport,
      // Also after a failure: part of the file may have been imported.
      invalidatesTags: ['Waitlist'],
    }),
  }),
})

export const {
  useAddWaitlistUserMutation,
  useGetWaitlistUsersInfiniteQuery,
  useGetUnconfirmedSignUpsInfiniteQuery,
  useFindWaitlistUsersMutation,
  useDecideWaitlistUserMutation,
  useApproveWaitlistUsersMutation,
  usePreviewWaitlistImportMutation,
  useImportWaitlistUsersMutation,
} = waitlistApi
