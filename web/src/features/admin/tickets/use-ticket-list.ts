import { useEffect } from 'react'
import { isProblem, problemText } from '@/lib/api/problem'
import { type TicketFilter, useGetTicketsQuery } from '@/lib/api/support-api'
import type { useTicketView } from './use-ticket-view'

/** What is no problem of the call is one of the page itself. */
function failureText(error: unknown): string {
  if (!isProblem(error)) return 'Unknown error occurred'
  return problemText(error, 'Failed to fetch tickets')
}

/**
 * The page of tickets that the address names. While the next one is on its way the last one stays in
 * sight, marked as `stale`; tickets of another filter are never shown beside a failure.
 */
export function useTicketList({ view, correctPage }: ReturnType<typeof useTicketView>) {
  const { status, category, priority, search, page } = view
  const filter: TicketFilter = { status, category, priority, search: search.trim() }
  const query = useGetTicketsQuery({ ...filter, page }, { refetchOnMountOrArgChange: true })
  const { currentData, isFetching, error } = query

  const last = Math.max(currentData?.pagination.totalPages ?? page, 1)
  useEffect(() => {
    if (page > last) correctPage(last)
  })

  const shown = currentData ?? (isFetching ? query.data : undefined)
  return {
    filter,
    shown,
    tickets: shown?.data ?? [],
    stale: shown !== currentData,
    loading: isFetching && !currentData,
    fetching: isFetching,
    failure: error ? failureText(error) : null,
    refetch: query.refetch,
  }
}
