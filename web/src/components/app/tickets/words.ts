import type { TicketCategory, TicketPriority, TicketStatus } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'

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

/** What is to do: whoever waits for an answer, the reader's own tickets, nobody's. */
export const ticketQueues = ['waiting', 'mine', 'unassigned'] as const

/** The most that a message may have, in characters. */
export const MESSAGE_MAX = 10_000

/** How many characters of a message are sent. */
export const messageLength = (typed: string): number => [...cleanText(typed)].length

/** Cleaning never makes a text longer. */
export const isTooLong = (typed: string): boolean =>
  typed.length > MESSAGE_MAX && messageLength(typed) > MESSAGE_MAX

export const SUBJECT_MAX = 200
