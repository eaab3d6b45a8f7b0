import { useState } from 'react'
import { Dialog } from '@/components/app/dialog'
import { useGetTicketQuery } from '@/lib/api/support-api'
import type { Ticket } from '@/lib/api/types'
import { TicketDetails } from './ticket-details'

interface TicketDialogProps {
  /** The id of the ticket to show; empty for none. */
  id: string
  /** The ticket as the list has it, if it is there. */
  listed: Ticket | undefined
  onClose: () => void
}

/** The details of a ticket. What was typed as a response is kept for each ticket until it is sent. */
export function TicketDialog({ id, listed, onClose }: TicketDialogProps) {
  const [responses, setResponses] = useState<Readonly<Record<string, string>>>({})
  const { currentData } = useGetTicketQuery(id, { skip: !id })
  const respond = (text: string) => setResponses((all) => ({ ...all, [id]: text }))
  return (
    <Dialog
      open={id !== ''}
      size="page"
      title={(listed ?? currentData)?.ticket_id ?? 'Ticket'}
      description="Support ticket details and management"
      onClose={onClose}
    >
      {id && (
        <TicketDetails
          key={id}
          id={id}
          listed={listed}
          response={responses[id] ?? ''}
          onResponse={respond}
          onDone={() => {
            respond('')
            onClose()
          }}
        />
      )}
    </Dialog>
  )
}
