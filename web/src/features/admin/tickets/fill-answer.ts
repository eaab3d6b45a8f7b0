import type { Ticket } from '@/lib/api/types'

/**
 * The text of a canned answer with its placeholders filled: a ticket without a subject has its number for one. Unknown
 * ones stay, so that somebody sees them.
 */
export function fillAnswer(body: string, ticket: Ticket): string {
  const values: Record<string, string> = {
    // All that is known of the name: the address before the @.
    name: ticket.user_email.split('@')[0] ?? '',
    email: ticket.user_email,
    ticket: ticket.ticket_id,
    subject: ticket.subject || ticket.ticket_id,
  }
  return body.replaceAll(/\{\{\s*(\w+)\s*\}\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? (values[name] ?? '') : placeholder,
  )
}
