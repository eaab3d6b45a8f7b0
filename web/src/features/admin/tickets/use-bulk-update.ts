import { useState } from 'react'
import { toastError } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import { useUpdateTicketsMutation } from '@/lib/api/support-api'
import type { BulkTicketResult, StaffTicketStatus, Ticket } from '@/lib/api/types'
import { spaced } from '@/lib/words'
import type { Selection } from '../use-selection'

/** How a change of several tickets went, each by itself. */
export interface BulkOutcome {
  status: StaffTicketStatus
  results: { ticket: Ticket; result: BulkTicketResult }[]
}

/** A bulk change in words, for the whole and for each ticket. */
export function bulkReport({ status, results }: BulkOutcome) {
  const all = results.length
  const done = results.filter(({ result }) => result.ok).length
  return {
    title: `${done} of ${all} ${all === 1 ? 'ticket' : 'tickets'} set to ${spaced(status)}`,
    label: 'Each ticket',
    lines: results.map(({ ticket, result }) => ({
      id: ticket.id,
      name: ticket.ticket_id,
      ok: result.ok,
      text: result.ok ? `is ${spaced(status)}` : (result.error ?? 'could not be changed'),
    })),
  }
}

/** Sets the status of the selected tickets. Those that fail stay selected. */
export function useBulkUpdate(selection: Selection<Ticket>) {
  const [update, { isLoading: busy }] = useUpdateTicketsMutation()
  const [outcome, setOutcome] = useState<BulkOutcome | null>(null)

  const apply = async (status: StaffTicketStatus) => {
    const tickets = selection.selected
    setOutcome(null)
    try {
      const results = await update({
        status,
        tickets: tickets.map(({ id, version }) => ({ ticketId: id, version })),
      }).unwrap()
      const byId = new Map(tickets.map((ticket) => [ticket.id, ticket]))
      setOutcome({
        status,
        results: results.flatMap((result) => {
          const ticket = byId.get(result.ticketId)
          return ticket ? [{ ticket, result }] : []
        }),
      })
      selection.only(results.filter(({ ok }) => !ok).map(({ ticketId }) => ticketId))
    } catch (error) {
      toastError('Error', problemText(error, 'Failed to update tickets'))
    }
  }
  return { busy, outcome, apply, dismiss: () => setOutcome(null) }
}
