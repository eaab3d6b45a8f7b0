import { looseObject, nullish, string } from 'valibot'
import { api } from './api'
import { cursorPages } from './cursor-pages'
import { part, rows, shape } from './shape'
import type { AdminStats, AuditEntry, AuditPage } from './types'

/** The filter of the audit log; an empty value does not filter. */
export interface AuditFilter {
  action: string
  search: string
  /** The id or the address of whom it was done to. */
  about?: string
  /** Timestamps in ISO 8601: `from` is included, `to` is not. */
  from: string
  to: string
}

/** The statistics of a service; null while it is down, and left out if they are none. Each card has an error boundary. */
const counts = part(looseObject({}))

const adminApi = api.injectEndpoints({
  endpoints: (build) => ({
    getAdminStats: build.query<AdminStats, void>({
      query: () => 'get-admin-stats',
      rawResponseSchema: shape<AdminStats>({
        waitlist: counts,
        tickets: counts,
        subscriptions: counts,
        credits: counts,
        downloads: counts,
      }),
    }),
    getAuditLog: build.infiniteQuery<AuditPage, AuditFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-audit-log',
        params: Object.fromEntries(
          Object.entries({ ...queryArg, cursor: pageParam }).filter(([, value]) => value !== ''),
        ),
      }),
      rawResponseSchema: shape<AuditPage>({
        data: rows(shape<AuditEntry>({ id: string() })),
        nextCursor: nullish(string()),
      }),
      infiniteQueryOptions: { ...cursorPages, refetchCachedPages: true },
      providesTags: ['Audit'],
    }),
  }),
})

export const { useGetAdminStatsQuery, useGetAuditLogInfiniteQuery } = adminApi
