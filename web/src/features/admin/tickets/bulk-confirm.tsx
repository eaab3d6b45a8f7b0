import { ConfirmDialog } from '@/components/app/confirm-dialog'
import type { StaffTicketStatus } from '@/lib/api/types'
import { spaced } from '@/lib/english/words'

interface BulkConfirmProps {
  /** What is about to be set; null while nothing is asked. */
  status: StaffTicketStatus | null
  count: number
  onConfirm: (status: StaffTicketStatus) => void
  onClose: () => void
}

const consequences: Record<StaffTicketStatus, string> = {
  in_progress: '',
  resolved: 'Each customer is told by e-mail. A reply opens the ticket again.',
  closed: 'The customers can no longer reply to them.',
}

/** Asks before many tickets change in a way that customers notice. */
export function BulkConfirm({ status, count, onConfirm, onClose }: BulkConfirmProps) {
  const tickets = count === 1 ? '1 ticket' : `${count} tickets`
  return (
    <ConfirmDialog
      open={status !== null}
      title={status ? `Set ${tickets} to ${spaced(status)}?` : ''}
      action={status ? `Set ${spaced(status)}` : ''}
      hurts={status === 'closed'}
      onConfirm={() => {
        onClose()
        if (status) onConfirm(status)
      }}
      onClose={onClose}
    >
      {status && consequences[status]}
    </ConfirmDialog>
  )
}
