import type { TicketCategory, TicketPriority, TicketStatus } from '@/lib/api/types'

/** In the order in which a ticket usually passes them. */
export const ticketStatuses = [
  'open',
  'in_progress',
  'resolved',
  'closed',
] as const satisfies TicketStatus[]
/** The most pressing first. */
export const ticketPriorities = [
  'urgent',
  'high',
  'medium',
  'low',
] as const satisfies TicketPriority[]
export const ticketCategories = [
  'bug',
  'feature_request',
  'billing',
  'technical_support',
  'other',
] as const satisfies TicketCategory[]

/** The most that a message may have, in characters. */
export const MESSAGE_MAX = 10_000
export const SUBJECT_MAX = 200

/** A status or category as people read it: underscores are spaces. */
export function spaced(word: string): string {
  return word.replaceAll('_', ' ')
}

/** The same at the start of a line. */
export function titled(word: string): string {
  return word.charAt(0).toUpperCase() + spaced(word).slice(1)
}
