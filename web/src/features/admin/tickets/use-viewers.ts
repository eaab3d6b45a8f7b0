import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react'
import { useViewTicketMutation } from '@/lib/api/desk-api'
import type { TicketView, TicketViewer } from '@/lib/api/types'

/** How often the server is told and asked, in milliseconds. Whoever it has not heard of for 30 seconds has left. */
const EVERY_MS = 10_000

/**
 * The other members of staff who have the ticket open; tells them that the reader has, while the page is in view or an
 * answer is being written. `onSeen` is told the version of now that the ticket has, and the id of its latest note. Silent when
 * that fails.
 */
export function useViewers(
  ticketId: string,
  writing: boolean,
  onSeen: (version: number, lastNote?: string) => void,
): readonly TicketViewer[] {
  const tell = useTell()
  const heard = useEffectEvent(onSeen)
  const [others, setOthers] = useState<readonly TicketViewer[]>([])
  useEffect(() => {
    let open = true
    let timer: ReturnType<typeof setTimeout>
    const repeat = async () => {
      if (writing || !document.hidden) {
        const { data } = await tell({ ticketId, writing, left: false })
        if (!open) return
        if (data) {
          setOthers(data.others)
          heard(data.version, data.lastNote)
        }
      }
      timer = setTimeout(() => void repeat(), EVERY_MS)
    }
    void repeat()
    return () => {
      open = false
      clearTimeout(timer)
    }
  }, [tell, ticketId, writing])
  useEffect(() => () => void tell({ ticketId, writing: false, left: true }), [tell, ticketId])
  return others
}

/** Tells the server one thing after the other, as it keeps what arrives last. */
function useTell() {
  const [view] = useViewTicketMutation()
  const last = useRef<Promise<unknown>>(Promise.resolve())
  return useCallback(
    (what: TicketView) => {
      const told = last.current.then(() => view(what))
      last.current = told
      return told
    },
    [view],
  )
}
