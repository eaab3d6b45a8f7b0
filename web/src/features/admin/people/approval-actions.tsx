import { useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import type { WaitlistUser } from '@/lib/api/types'
import { useDecideWaitlistUserMutation } from '@/lib/api/waitlist-api'
import { useSecondsLeft } from '@/lib/use-seconds-left'
import { ResendDialog } from '../waitlist/resend-dialog'
import styles from './person.module.css'

interface ApprovalActionsProps {
  entry: WaitlistUser
  /** The address by which the entry was found. */
  email: string
  /** The approval was undone, whose button is gone. */
  onUndone: () => void
}

/** Undoes an approval while its email waits. After that it can be sent again. */
export function ApprovalActions(props: ApprovalActionsProps) {
  const undoFor = useSecondsLeft(props.entry.undo_until)
  if (undoFor > 0) return <UndoButton {...props} undoFor={undoFor} />
  return props.entry.left ? null : <ResendButton entry={props.entry} email={props.email} />
}

function UndoButton({
  entry,
  email,
  onUndone,
  undoFor,
}: ApprovalActionsProps & { undoFor: number }) {
  const [decide, { isLoading }] = useDecideWaitlistUserMutation()
  const undo = async () => {
    const decision = {
      waitlistUserId: entry.id,
      action: 'undo',
      shown: { status: '', search: email },
    } as const
    const { data, error } = await decide(decision)
    if (error) return toastError(problemText(error, 'Failed to undo the approval'))
    toastSuccess(data.message || 'The approval was undone')
    onUndone()
  }
  return (
    <>
      <p className={styles.quiet}>The email leaves in {undoFor} s</p>
      <div className={styles.actions}>
        <Button
          variant="secondary"
          size="dense"
          data-event="undo_waitlist_user"
          pending={isLoading}
          onClick={() => void undo()}
        >
          Undo approval
        </Button>
      </div>
    </>
  )
}

/** Sends the approval email again, also where the provider has taken it and the person has not got it. */
function ResendButton({ entry, email }: Omit<ApprovalActionsProps, 'onUndone'>) {
  const [asking, setAsking] = useState(false)
  return (
    <div className={styles.actions}>
      <Button
        variant="secondary"
        size="dense"
        data-event="resend_approval"
        onClick={() => setAsking(true)}
      >
        Resend approval email
      </Button>
      {asking && (
        <ResendDialog
          entry={entry}
          shown={{ status: '', search: email }}
          onClose={() => setAsking(false)}
        />
      )}
    </div>
  )
}
