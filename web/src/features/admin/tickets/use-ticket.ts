import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { api } from '@/lib/api/api'
import { problemText } from '@/lib/api/problem'
import { staleTicket, useGetTicketQuery, useUpdateTicketMutation } from '@/lib/api/support-api'
import type { StaffTicketStatus, Ticket, TicketDetail, TicketEdit } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'
import { useAppDispatch } from '@/store/hooks'
import type { AppDispatch } from '@/store/store'
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

/** An edit that the reader made, and the version that it made of the ticket. */
export interface OwnEdit {
  version: number
  edit: TicketEdit
}

/** The edits of the ticket whose answers are awaited, or the notes. */
const running = (dispatch: AppDispatch, id: string, what: 'editTicket' | 'addNote') =>
  dispatch(api.util.getRunningMutationsThunk()).filter(
    ({ arg: { endpointName, originalArgs } }) =>
      endpointName === what && (originalArgs as { ticketId: string }).ticketId === id,
  )

/** Waits for those edits, and resolves to what the server accepted. */
async function acceptedEdits(dispatch: AppDispatch, id: string): Promise<OwnEdit[]> {
  const answers = await Promise.all(
    running(dispatch, id, 'editTicket').map(async (sent) => ({
      edit: sent.arg.originalArgs as TicketEdit,
      answer: (await sent).data as { data: Ticket } | undefined,
    })),
  )
  return answers.flatMap(({ edit, answer }) =>
    answer ? [{ edit, version: answer.data.version }] : [],
  )
}

interface UseTicket {
  id: string
  /** The ticket from the list, shown until its details have loaded. */
  listed: Ticket | undefined
  response: string
  onDone: () => void
}

/** The ticket that was shown, as the reader's `own` edits make it; null if nobody else has changed it up to `now`. */
function shownBefore(shown: Ticket, now: Ticket, own: readonly OwnEdit[]): Ticket | null {
  const since = own.filter(({ version }) => version > shown.version && version <= now.version)
  const versions = new Set(since.map(({ version }) => version))
  if (now.version - shown.version <= versions.size) return null
  return Object.assign({}, shown, ...since.map(({ edit }) => edit)) as Ticket
}

/** The version that the reader's `own` edits have made of the one that is shown; not beyond a version of others. */
function versionAfter(shown: Ticket, own: readonly OwnEdit[]): number {
  const versions = new Set(own.map(({ version }) => version))
  let { version } = shown
  while (versions.has(version + 1)) version += 1
  return version
}

const lastNoteOf = ({ notes }: TicketDetail) => notes.at(-1)?.id

/**
 * The open ticket, and setting its status with optimistic locking: the update carries the version that is shown, with
 * the reader's own edits. If the server has a newer one, `changes` lists the differences until `refresh` has loaded it.
 */
export function useTicket({ id, listed, response, onDone }: UseTicket) {
  const [first] = useState(listed)
  const query = useGetTicketQuery(id, { refetchOnMountOrArgChange: true })
  const [update] = useUpdateTicketMutation()
  const [sending, setSending] = useState<Sending | null>(null)
  const idempotency = useIdempotencyKey(useStaffDraftName(`ticket-response:${id}`))
  const [changes, setChanges] = useState<readonly string[] | null>(null)
  const [news, setNews] = useState<number | null>(null)
  /** Counts the edits and notes that were sent; `unloaded` tells whether some have not been loaded yet. */
  const [saves, setSaves] = useState(0)
  const unloaded = useRef(false)
  const own = useRef<readonly OwnEdit[]>([])
  const dispatch = useAppDispatch()
  const ticket: Ticket | undefined = query.currentData ?? first

  const tell = () => setNews((times) => (times ?? 0) + 1)

  /**
   * Loads the ticket, and tells what others have changed. Whoever is writing an answer is asked to look at it first.
   */
  const load = async () => {
    const shown = query.currentData
    if (!shown || query.isFetching || sending) return
    // A newer version may be an edit of one's own that is on its way.
    if (running(dispatch, id, 'editTicket').length > 0) return
    const saved = unloaded.current
    unloaded.current = false
    const { data } = await query.refetch()
    if (!data) return
    // Or one that was sent meanwhile.
    const accepted = await acceptedEdits(dispatch, id)
    const before = shownBefore(shown, data, [...own.current, ...accepted])
    if (!before) {
      if (!saved && lastNoteOf(data) !== lastNoteOf(shown)) tell()
      return
    }
    if (changes || cleanText(response)) setChanges((told) => told ?? changesBetween(before, data))
    else tell()
    dispatch(api.util.invalidateTags(['Tickets', 'Desk']))
  }

  /** Loads what others have changed, once the server has a newer version than is shown, or a later note. */
  const follow = async (version: number, lastNote?: string) => {
    const shown = query.currentData
    if (changes || !shown) return
    const noted =
      lastNote && lastNote !== lastNoteOf(shown) && running(dispatch, id, 'addNote').length === 0
    if (noted || version > shown.version) await load()
  }

  const loadSaved = useEffectEvent(() => void load())
  useEffect(() => {
    if (unloaded.current) loadSaved()
  }, [saves, query.isFetching, sending])

  /** Has the ticket loaded with what the reader has saved, or failed to, as others may be why. */
  const saved = (edit?: OwnEdit) => {
    unloaded.current = true
    if (edit) own.current = [...own.current, edit]
    setSaves((before) => before + 1)
  }

  /** Sets the status and sends the response, if there is one; without a status it stays as it is. */
  const decide = async (status?: StaffTicketStatus) => {
    if (!ticket || sending) return
    const adminResponse = cleanText(response)
    setSending(status ?? 'response')
    const accepted = await acceptedEdits(dispatch, id)
    const owned = () => [...own.current, ...accepted]
    try {
      await update({
        ticketId: id,
        version: versionAfter(ticket, owned()),
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
      if (now) setChanges(changesBetween(shownBefore(ticket, now, owned()) ?? ticket, now))
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
    saved,
    /** How often what others have changed was loaded by itself; null for never. */
    news,
    sending,
    decide,
  }
}
