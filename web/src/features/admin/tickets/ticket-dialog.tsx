import { Dialog } from '@/components/app/dialog'
import { PartBoundary } from '@/components/app/part-boundary'
import { useGetTicketQuery } from '@/lib/api/support-api'
import type { Ticket } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'
import { useDraftGuard } from '../use-draft-guard'
import { useStaffDraft } from '../use-staff-draft'
import { TicketDetails } from './ticket-details'

interface TicketDialogProps {
  /** The id of the ticket to show; empty for none. */
  id: string
  /** The ticket as the list has it, if it is there. */
  listed: Ticket | undefined
  onClose: () => void
  /** The ticket was updated. */
  onDone: () => void
}

/** The details of a ticket. What was typed as a response is kept for each ticket until it is sent. */
export function TicketDialog({ id, listed, onClose, onDone }: TicketDialogProps) {
  const [response, setResponse] = useStaffDraft(`ticket-response:${id}`)
  useDraftGuard(id !== '' && cleanText(response) !== '')
  const { currentData } = useGetTicketQuery(id, { skip: !id })
  return (
    <Dialog
      open={id !== ''}
      size="page"
      title={(listed ?? currentData)?.ticket_id ?? 'Ticket'}
      description="Support ticket details and management"
      onClose={onClose}
    >
      {id && (
        <PartBoundary key={id}>
          <TicketDetails
            id={id}
            listed={listed}
            response={response}
            onResponse={setResponse}
            onDone={() => {
              setResponse('')
              onDone()
            }}
          />
        </PartBoundary>
      )}
    </Dialog>
  )
}
