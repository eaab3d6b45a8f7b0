import type { WaitlistUser } from '@/lib/api/types'
import { useDecideWaitlistUserMutation, type WaitlistFilter } from '@/lib/api/waitlist-api'
import { ActionDialog } from '../people/action-dialog'

interface ResendDialogProps {
  entry: WaitlistUser
  /** The filter of the list that is shown. */
  shown: WaitlistFilter
  onClose: () => void
}

/** Sends the approval email again, for a reason. */
export function ResendDialog({ entry, shown, onClose }: ResendDialogProps) {
  const [decide] = useDecideWaitlistUserMutation()
  return (
    <ActionDialog
      action={{
        title: 'Resend approval email',
        text: (
          <>
            <bdi dir="ltr">{entry.email}</bdi> gets the approval email again, with a new link.
          </>
        ),
        label: 'Resend email',
        done: 'The approval email is sent again',
        event: 'resend_waitlist_user',
        run: (reason) =>
          decide({ waitlistUserId: entry.id, action: 'resend', reason, shown }).unwrap(),
      }}
      subject={entry.id}
      onClose={onClose}
    />
  )
}
