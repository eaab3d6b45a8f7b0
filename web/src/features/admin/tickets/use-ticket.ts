import { useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { problemText } from '@/lib/api/problem'
import { staleTicket, useGetTicketQuery, useUpdateTicketMutation } from '@/lib/api/support-api'
import type { StaffTicketStatus, Ticket } from '@/lib/api/types'
import { changesOf } from '../changes'

/** What a change of a ticket can be told by; anything else is an addition to the thread. */
const told = ({ status, priority, category }: Ticket) => ({ status, priority, category })

/** What somebody else changed between the ticket that is shown and the one that the server has, in words. */
function changesBetween(shown: Ticket, now: Ticket): string[] {
  const changes = changesOf(told(shown), told(now))
  if (changes.length === 0) return ['a new message']
  return changes.map(({ name, from, to }) => `${name} ${from} → ${to}`)
}

interface UseTicket {
  id: string
  /** The ticket as the list has it, until all of it is there. */
  listed: Ticket | undefined
  response: string
  onDone: () => void
}

/**
 * The ticket that is open, and deciding on it. A decision is made on what is shown: when that is no
 * longer what the server has, `changes` says what is different, until `refresh` has shown it.
 */
export function useTicket({ id, listed, response, onDone }: UseTicket) {
  const [first] = useState(listed)
  const query = useGetTicketQuery(id, { refetchOnMountOrArgChange: true })
  const [update] = useUpdateTicketMutation()
  const [sending, setSending] = useState<StaffTicketStatus | null>(null)
  const [changes, setChanges] = useState<readonly string[] | null>(null)
  const ticket: Ticket | undefined = query.currentData ?? first

  const decide = async (status: StaffTicketStatus) => {
    if (!ticket) return
    const adminResponse = response.trim()
    setSending(status)
    try {
      await update({
        ticketId: id,
        status,
        version: ticket.version,
        ...(adminResponse && { adminResponse }),
      }).unwrap()
      toastSuccess('Success', 'Ticket updated successfully')
      onDone()
    } catch (error) {
      const now = staleTicket(error)
      if (now) setChanges(changesBetween(ticket, now))
      else toastError('Error', problemText(error, 'Failed to update ticket'))
    }
    setSending(null)
  }

  const refresh = async () => {
    const { error } = await query.refetch()
    if (error) toastError('Error', problemText(error, 'Failed to fetch ticket'))
    else setChanges(null)
  }

  return {
    ticket,
    detail: query.currentData,
    error: query.error,
    fetching: query.isFetching,
    changes,
    refresh,
    sending,
    decide,
  }
}
