import type { NewTicket } from '@/lib/api/types'
import { cleanLine, cleanText } from '@/lib/clean-text'
import { useDraft } from '@/lib/use-draft'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'
import { isTooLong, ticketCategories } from './words'

type Content = Omit<NewTicket, 'idempotencyKey'>

/** What is typed of a new ticket, stored as the draft called `draft` until the server has `accepted` it. */
export function useTicketDraft(draft: string) {
  const [chosen, setCategory] = useDraft(`${draft}:category`)
  const [subject, setSubject] = useDraft(`${draft}:subject`)
  const [message, setMessage] = useDraft(draft)
  const idempotency = useIdempotencyKey(draft)
  const category = ticketCategories.find((value) => value === chosen)
  const text = cleanText(message)
  const content: Content | null =
    category && text && !isTooLong(text)
      ? { category, message: text, subject: cleanLine(subject) || null }
      : null
  return {
    category: category ?? '',
    setCategory,
    subject,
    setSubject,
    message,
    setMessage,
    /** What to send; null while something is missing. */
    content,
    /** The idempotency key of a content, for the customer whom somebody else opens the ticket for. */
    keyFor: (of: Content, ...customer: string[]) =>
      idempotency.keyFor(...customer, of.category, of.message, of.subject ?? ''),
    accepted: () => {
      idempotency.accepted()
      for (const empty of [setCategory, setSubject, setMessage]) empty('')
    },
  }
}
