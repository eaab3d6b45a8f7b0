import { array, looseObject, nullable, nullish, string } from 'valibot'
import { api } from './api'
import { shape } from './shape'
import type { AdminStats, AuditEntry, AuditPage } from './types'

/** What the audit log is narrowed to; an empty value does not narrow. */
export interface AuditFilter {
  action: string
  search: string
  /** Moments in ISO 8601: from the first on, up to but without the second. */
  from: string
  to: string
}

/** What a service counts; null while it is down. The cards look into it, each for itself. */
const counts = nullable(looseObject({}))

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
      extraOptions: { access: 'user' },
    }),
    getAuditLog: build.infiniteQuery<AuditPage, AuditFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-audit-log',
        params: Object.fromEntries(
          Object.entries({ ...queryArg, cursor: pageParam }).filter(([, value]) => value !== ''),
        ),
      }),
      rawResponseSchema: shape<AuditPage>({
        data: array(shape<AuditEntry>({ id: string() })),
        nextCursor: nullish(string()),
      }),
      extraOptions: { access: 'user' },
      infiniteQueryOptions: {
        initialPageParam: '',
        getNextPageParam: (page) => page.nextCursor ?? undefined,
        refetchCachedPages: false,
      },
    }),
  }),
})

export const { useGetAdminStatsQuery, useGetAuditLogInfiniteQuery } = adminApi
