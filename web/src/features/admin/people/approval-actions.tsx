import { useRef, useState } from 'react'
import { toastError, toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { problemText } from '@/lib/api/problem'
import type { WaitlistUser } from '@/lib/api/types'
import { useDecideWaitlistUserMutation } from '@/lib/api/waitlist-api'
import { useFocusFallback } from '@/lib/use-focus-fallback'
import { useSecondsLeft } from '@/lib/use-seconds-left'
import { ResendDialog } from '../waitlist/resend-dialog'
import styles from './person.module.css'

interface ApprovalActionsProps {
  entry: WaitlistUser
  /** The address by which the entry was found. */
  email: string
}

/** Undoes an approval while its email waits. After that it can be sent again, also where the provider has taken it. */
export function ApprovalActions(props: ApprovalActionsProps) {
  const undoFor = useSecondsLeft(props.entry.undo_until)
  return undoFor > 0 || !props.entry.left ? <Action {...props} undoFor={undoFor} /> : null
}

/** Its button keeps the focus when the time to undo ends; when it goes away, the focus moves to the entry. */
function Action({ entry, email, undoFor }: ApprovalActionsProps & { undoFor: number }) {
  const [decide, { isLoading }] = useDecideWaitlistUserMutation()
  const [asking, setAsking] = useState(false)
  const part = useRef<HTMLDivElement>(null)
  useFocusFallback(part, (element) => element.closest('[tabindex]'))
  const shown = { status: '', search: email } as const
  const undoable = undoFor > 0

  const undo = async () => {
    const { data, error } = await decide({ waitlistUserId: entry.id, action: 'undo', shown })
    if (error) toastError(problemText(error, 'Failed to undo the approval'))
    else toastSuccess(data.message || 'The approval was undone')
  }

  return (
    <>
      {undoable && !entry.left && <p className={styles.quiet}>The email leaves in {undoFor} s</p>}
      <div ref={part} className={styles.actions}>
        <Button
          variant="secondary"
          size="dense"
          data-event={undoable ? 'undo_waitlist_user' : 'resend_approval'}
          pending={isLoading}
          onClick={() => (undoable ? void undo() : setAsking(true))}
        >
          {undoable ? 'Undo approval' : 'Resend approval email'}
        </Button>
      </div>
      {asking && <ResendDialog entry={entry} shown={shown} onClose={() => setAsking(false)} />}
    </>
  )
}
