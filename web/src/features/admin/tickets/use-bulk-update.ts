import { useState } from 'react'
import { toastError } from '@/components/app/toaster'
import { problemText } from '@/lib/api/problem'
import { useUpdateTicketsMutation } from '@/lib/api/support-api'
import type { BulkTicketResult, StaffTicketStatus, Ticket } from '@/lib/api/types'
import type { Selection } from './use-selection'

/** How a change of several tickets went, each by itself. */
export interface BulkOutcome {
  status: StaffTicketStatus
  results: { ticket: Ticket; result: BulkTicketResult }[]
}

/** Sets the status of the selected tickets. Those that fail stay selected. */
export function useBulkUpdate(selection: Selection) {
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
