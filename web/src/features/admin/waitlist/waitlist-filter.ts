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

/** A search as addresses are kept: the domain `bücher.example` is `xn--bcher-kva.example` there. */
function spellings(search: string): string[] {
  const text = search.trim().toLowerCase()
  const at = text.lastIndexOf('@') + 1
  if (!/[^\0-\x7f]/.test(text.slice(at))) return [text]
  try {
    return [text, text.slice(0, at) + new URL(`http://${text.slice(at)}`).hostname]
  } catch {
    return [text]
  }
}

/** Filters the loaded rows without waiting for the server. */
export function filterEntries(
  pages: readonly WaitlistUser[][],
  { status, search, undelivered }: WaitlistFilter,
): WaitlistUser[][] {
  const texts = spellings(search)
  return filterPages(
    pages,
    (entry) =>
      (!status || entry.status === status) &&
      (!undelivered || isUndelivered(entry)) &&
      texts.some((text) => entry.email.includes(text) || entry.claimed_email?.includes(text)),
  )
}
