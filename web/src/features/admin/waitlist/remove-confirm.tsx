import { ConfirmDialog } from '@/components/app/confirm-dialog'
import type { WaitlistUser } from '@/lib/api/types'

/** An entry that somebody is about to remove, and what does it. */
export interface Removal {
  entry: WaitlistUser
  go: () => void
}

interface RemoveConfirmProps {
  /** Null while nothing is asked. */
  removal: Removal | null
  onClose: () => void
}

/** Asks before a person loses their place, and the app if they had it. */
export function RemoveConfirm({ removal, onClose }: RemoveConfirmProps) {
  return (
    <ConfirmDialog
      open={removal !== null}
      title="Remove from the waitlist?"
      action="Remove"
      onConfirm={() => {
        onClose()
        removal?.go()
      }}
      onClose={onClose}
    >
      {removal && (
        <>
          <bdi dir="ltr">{removal.entry.email}</bdi>{' '}
          {removal.entry.status === 'approved' && 'can no longer download the app, and '}
          can return only if you add the address by hand.
        </>
      )}
    </ConfirmDialog>
  )
}
