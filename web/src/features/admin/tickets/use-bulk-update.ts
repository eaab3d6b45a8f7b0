import { useState } from 'react'
import { toastError } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import { TICKET_PAGE_SIZE, useUpdateTicketsMutation } from '@/lib/api/support-api'
import type { StaffTicketStatus, Ticket } from '@/lib/api/types'
import { whole } from '@/lib/numbers'
import { spaced } from '@/lib/words'
import type { Question } from '../question'
import { useBulk } from '../use-bulk'
import type { Selection } from '../use-selection'

/** What customers notice of a status, for the confirmation; an empty text needs none. */
const consequences: Record<StaffTicketStatus, string> = {
  in_progress: '',
  resolved: 'Each customer gets an email. A reply reopens the ticket.',
  closed: 'Customers can no longer reply.',
}

const ticketsOf = (count: number) => `${whole(count)} ${count === 1 ? 'ticket' : 'tickets'}`

/** Sets the status of the selected tickets; asks for confirmation if customers notice. */
export function useBulkUpdate(selection: Selection<Ticket>) {
  const [send] = useUpdateTicketsMutation()
  const bulk = useBulk({ selection, limit: TICKET_PAGE_SIZE, nameOf: ({ ticket_id }) => ticket_id })
  const [question, setQuestion] = useState<Question | null>(null)

  const apply = (status: StaffTicketStatus) =>
    bulk.run({
      doing: 'Updating',
      done: (count, of) => `${whole(count)} of ${ticketsOf(of)} set to ${spaced(status)}`,
      failed: 'could not be changed',
      send: async (tickets) => {
        const versions = tickets.map(({ id, version }) => ({ ticketId: id, version }))
        const results = await send({ status, tickets: versions }).unwrap()
        return results.map(({ ticketId, ...result }) => ({ id: ticketId, ...result }))
      },
      onLost: (error) => toastError('Error', problemText(error, 'Failed to update tickets')),
    })

  const start = (status: StaffTicketStatus) => {
    const text = consequences[status]
    if (!text) return void apply(status)
    setQuestion({
      title: `Set ${ticketsOf(selection.selected.length)} to ${spaced(status)}?`,
      text,
      action: `Set ${spaced(status)}`,
      destructive: status === 'closed',
      onConfirm: () => void apply(status),
    })
  }

  return { ...bulk, start, question, closeQuestion: () => setQuestion(null) }
}
