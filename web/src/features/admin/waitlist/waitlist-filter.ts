import type { WaitlistFilter } from '@/lib/api/waitlist-api'
import type { WaitlistStatus, WaitlistUser } from '@/lib/api/types'
import { narrowPages } from '../narrow-pages'

export const statuses: readonly WaitlistStatus[] = ['pending', 'approved', 'rejected']

/** The rows at hand that match; pages that have none are left out. */
export function narrow(
  pages: readonly WaitlistUser[][],
  { status, search }: WaitlistFilter,
): WaitlistUser[][] {
  const text = search.trim().toLowerCase()
  return narrowPages(
    pages,
    (entry) => (!status || entry.status === status) && entry.email.includes(text),
  )
}
