import { ConfirmDialog } from '@/components/app/confirm-dialog'
import type { StaffTicketStatus } from '@/lib/api/types'
import { spaced } from '@/lib/words'

interface BulkConfirmProps {
  /** What is about to be set; null while nothing is asked. */
  status: StaffTicketStatus | null
  count: number
  onConfirm: (status: StaffTicketStatus) => void
  onClose: () => void
}

const consequences: Record<StaffTicketStatus, string> = {
  in_progress: '',
  resolved: 'Each customer gets an email. A reply reopens the ticket.',
  closed: 'Customers can no longer reply.',
}

/** Asks before many tickets change in a way that customers notice. */
export function BulkConfirm({ status, count, onConfirm, onClose }: BulkConfirmProps) {
  const tickets = count === 1 ? '1 ticket' : `${count} tickets`
  return (
    <ConfirmDialog
      open={status !== null}
      title={status ? `Set ${tickets} to ${spaced(status)}?` : ''}
      action={status ? `Set ${spaced(status)}` : ''}
      destructive={status === 'closed'}
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
