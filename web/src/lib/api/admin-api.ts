import { api } from './api'
import type { AdminStats, AuditPage } from './types'

/** What the audit log is narrowed to; an empty value does not narrow. */
export interface AuditFilter {
  action: string
  search: string
  /** Moments in ISO 8601: from the first on, up to but without the second. */
  from: string
  to: string
}

const adminApi = api.injectEndpoints({
  endpoints: (build) => ({
    getAdminStats: build.query<AdminStats, void>({
      query: () => 'get-admin-stats',
      extraOptions: { access: 'user' },
    }),
    getAuditLog: build.infiniteQuery<AuditPage, AuditFilter, string>({
      query: ({ queryArg, pageParam }) => ({
        url: 'get-audit-log',
        params: Object.fromEntries(
          Object.entries({ ...queryArg, cursor: pageParam }).filter(([, value]) => value !== ''),
        ),
      }),
      extraOptions: { access: 'user' },
      infiniteQueryOptions: {
        initialPageParam: '',
        getNextPageParam: (page) => page.nextCursor ?? undefined,
      },
    }),
  }),
})

export const { useGetAdminStatsQuery, useGetAuditLogInfiniteQuery } = adminApi
