import { useEffect, useState } from 'react'
import { useViewTicketMutation } from '@/lib/api/desk-api'
import type { TicketViewer } from '@/lib/api/types'

/** How often the server is told and asked, in milliseconds. Whoever it has not heard of for 30 seconds has left. */
const EVERY_MS = 10_000

/** The other members of staff who have the ticket open; tells them that the reader has. Silent when that fails. */
export function useViewers(ticketId: string, writing: boolean): readonly TicketViewer[] {
  const [view] = useViewTicketMutation()
  const [others, setOthers] = useState<readonly TicketViewer[]>([])
  useEffect(() => {
    let open = true
    const tell = async () => {
      if (document.hidden) return
      const { data } = await view({ ticketId, writing, left: false })
      if (open && data) setOthers(data.others)
    }
    void tell()
    const timer = setInterval(() => void tell(), EVERY_MS)
    return () => {
      open = false
      clearInterval(timer)
    }
  }, [view, ticketId, writing])
  useEffect(() => () => void view({ ticketId, writing: false, left: true }), [view, ticketId])
  return others
}
