import type { WaitlistFilter } from '@/lib/api/waitlist-api'
import type { WaitlistStatus, WaitlistUser } from '@/lib/api/types'
import { filterPages } from '../filter-pages'

export const statuses: readonly WaitlistStatus[] = ['pending', 'approved', 'rejected']

/** Whether the approval email of the entry did not arrive, for good. */
export const isUndelivered = ({ mail }: WaitlistUser) => mail === 'bounced' || mail === 'given_up'

/** What became of an email that was not delivered, with the mail server's reply. */
export const undeliveredText = ({ mail, mail_reply }: Pick<WaitlistUser, 'mail' | 'mail_reply'>) =>
  (mail === 'bounced' ? 'The email bounced' : 'The email could not be sent') +
  (mail_reply ? `: ${mail_reply}` : '')

/** Filters the loaded rows until the server has answered. By a search it finds less, as the server knows an address in other spellings. */
export function filterEntries(
  pages: readonly WaitlistUser[][],
  { status, search, undelivered }: WaitlistFilter,
): WaitlistUser[][] {
  const text = search.trim().toLowerCase()
  return filterPages(
    pages,
    (entry) =>
      (!status || entry.status === status) &&
      (!undelivered || isUndelivered(entry)) &&
      [entry.email, entry.claimed_email].some((email) => email?.includes(text)),
  )
}
