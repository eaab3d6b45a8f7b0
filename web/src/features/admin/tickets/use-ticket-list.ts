import { useEffect } from 'react'
import { isProblem, problemText } from '@/lib/api/problem'
import { type TicketFilter, useGetTicketsQuery } from '@/lib/api/support-api'
import type { useTicketView } from './use-ticket-view'

/** An error that is no `Problem` is a bug of this page, not a failed call. */
function failureText(error: unknown): string {
  if (!isProblem(error)) return 'Unknown error occurred'
  return problemText(error, 'Failed to fetch tickets')
}

/**
 * The page of tickets that the address names. While another page or filter loads, the previous tickets stay visible,
 * marked as `stale`; if that fails, they are hidden.
 */
export function useTicketList({ view, correctPage }: ReturnType<typeof useTicketView>) {
  const { status, category, priority, queue, tag, sort, page } = view
  const search = view.search.trim()
  const filter: TicketFilter = { status, category, priority, search, queue, tag, sort }
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
    snippets: shown?.snippets ?? {},
    stale: shown !== currentData,
    loading: isFetching && !currentData,
    fetching: isFetching,
    failure: error ? failureText(error) : null,
    refetch: query.refetch,
  }
}
