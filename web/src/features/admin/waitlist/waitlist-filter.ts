import type { WaitlistFilter } from '@/lib/api/waitlist-api'
import type { WaitlistStatus, WaitlistUser } from '@/lib/api/types'
import { filterPages } from '../filter-pages'

export const statuses: readonly WaitlistStatus[] = ['pending', 'approved', 'rejected']

/** Filters the loaded rows without waiting for the server. */
export function filterEntries(
  pages: readonly WaitlistUser[][],
  { status, search }: WaitlistFilter,
): WaitlistUser[][] {
  const text = search.trim().toLowerCase()
  return filterPages(
    pages,
    (entry) => (!status || entry.status === status) && entry.email.includes(text),
  )
}
