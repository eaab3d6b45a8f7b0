import { ConfirmDialog } from '@/components/app/confirm-dialog'
import { whole } from '@/lib/numbers'

interface BulkConfirmProps {
  open: boolean
  count: number
  onConfirm: () => void
  onClose: () => void
}

/** Asks before many letters go out. */
export function BulkConfirm({ open, count, onConfirm, onClose }: BulkConfirmProps) {
  return (
    <ConfirmDialog
      open={open}
      title={`Approve ${count === 1 ? '1 person' : `${whole(count)} people`}?`}
      action="Approve"
      destructive={false}
      onConfirm={() => {
        onClose()
        onConfirm()
      }}
      onClose={onClose}
    >
      Each person gets an email and can download the app at once.
    </ConfirmDialog>
  )
}
