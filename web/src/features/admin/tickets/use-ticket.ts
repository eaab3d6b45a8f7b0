import { useEffect, useEffectEvent, useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { api } from '@/lib/api/api'
import { problemText } from '@/lib/api/problem'
import { staleTicket, useGetTicketQuery, useUpdateTicketMutation } from '@/lib/api/support-api'
import type { StaffTicketStatus, Ticket, TicketEdit } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'
import { useAppDispatch } from '@/store/hooks'
import { changesOf } from '../changes'
import { useStaffDraftName } from '../use-staff-draft'
import type { Sending } from './response-form'

/** The fields that are compared; any other difference between two versions is a message in the thread. */
const compared = ({ status, priority, category }: Ticket) => ({ status, priority, category })

/** What changed between the ticket that is shown and the server's version, in words. */
function changesBetween(shown: Ticket, now: Ticket): string[] {
  const changes = changesOf(compared(shown), compared(now))
  if (changes.length === 0) return ['a new message']
  return changes.map(({ name, from, to }) => `${name} ${from} → ${to}`)
}

/** Whether a mutation edits the ticket. */
const isEditOf = (id: string, { endpointName, originalArgs }: RunningMutation) =>
  endpointName === 'editTicket' && (originalArgs as TicketEdit).ticketId === id

interface RunningMutation {
  endpointName: string
  originalArgs: unknown
}

interface UseTicket {
  id: string
  /** The ticket from the list, shown until its details have loaded. */
  listed: Ticket | undefined
  response: string
  onDone: () => void
}

/**
 * The open ticket, and setting its status with optimistic locking: the update carries the version that is shown. If
 * the server has a newer one, `changes` lists the differences until `refresh` has loaded it.
 */
export function useTicket({ id, listed, response, onDone }: UseTicket) {
  const [first] = useState(listed)
  const query = useGetTicketQuery(id, { refetchOnMountOrArgChange: true })
  const [update] = useUpdateTicketMutation()
  const [sending, setSending] = useState<Sending | null>(null)
  const idempotency = useIdempotencyKey(useStaffDraftName(`ticket-response:${id}`))
  const [changes, setChanges] = useState<readonly string[] | null>(null)
  const [news, setNews] = useState<number | null>(null)
  const [edits, setEdits] = useState(0)
  const dispatch = useAppDispatch()
  const ticket: Ticket | undefined = query.currentData ?? first

  /**
   * Loads the ticket, and tells what others have changed. Whoever is writing an answer is asked to look at it first.
   */
  const load = async () => {
    const shown = query.currentData
    if (!shown || query.isFetching || changes || sending) return
    // A newer version may be an edit of one's own that is on its way.
    const running = dispatch(api.util.getRunningMutationsThunk())
    if (running.some(({ arg }) => isEditOf(id, arg))) return
    const { data } = await query.refetch()
    if (!data || data.version <= shown.version) return
    if (response.trim()) setChanges(changesBetween(shown, data))
    else setNews(data.version)
    dispatch(api.util.invalidateTags(['Tickets', 'Desk']))
  }

  /** Loads what others have changed, once the server has a newer version than is shown. */
  const follow = async (version: number) => {
    if (query.currentData && version > query.currentData.version) await load()
  }

  const loadEdited = useEffectEvent(() => void load())
  useEffect(() => {
    // eslint-disable-next-line react-hooks/set-state-in-effect -- it is set when the server has answered
    if (edits > 0) loadEdited()
  }, [edits])

  /** Sets the status and sends the response, if there is one; without a status it stays as it is. */
  const decide = async (status?: StaffTicketStatus) => {
    if (!ticket || sending) return
    const adminResponse = cleanText(response)
    setSending(status ?? 'response')
    try {
      await update({
        ticketId: id,
        version: ticket.version,
        ...(status && { status }),
        ...(adminResponse && {
          adminResponse,
          idempotencyKey: idempotency.keyFor(adminResponse, status ?? ''),
        }),
      }).unwrap()
      idempotency.accepted()
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
    setNews(null)
  }

  return {
    ticket,
    detail: query.currentData,
    error: query.error,
    fetching: query.isFetching,
    changes,
    refresh,
    follow,
    /** Has the history of an edit loaded, once the ticket is shown as edited. */
    edited: () => setEdits((before) => before + 1),
    /** The version with what others have changed, if that was loaded by itself. */
    news,
    sending,
    decide,
  }
}
