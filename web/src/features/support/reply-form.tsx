import { type FormEvent, useRef, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { isTooLong } from '@/components/app/tickets/words'
import { toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { useAuth } from '@/features/session/use-auth'
import { problemText } from '@/lib/api/problem'
import { useReplyToTicketMutation } from '@/lib/api/support-api'
import type { MyTicket } from '@/lib/api/types'
import { cleanText } from '@/lib/clean-text'
import { useDraft } from '@/lib/use-draft'
import styles from './form.module.css'
import { MessageField } from './message-field'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'

/** Adds to a ticket; a resolved one is open again. What was typed stays until the server has it. */
export function ReplyForm({ ticket }: { ticket: MyTicket }) {
  const { user } = useAuth()
  // The draft stays that of the person who writes, also when their session ends meanwhile.
  const [writer] = useState(user?.id)
  const draft = `reply:${writer}:${ticket.id}`
  const [message, setMessage] = useDraft(draft)
  const idempotency = useIdempotencyKey(draft)
  const [reply, { isLoading, error }] = useReplyToTicketMutation()
  const field = useRef<HTMLTextAreaElement>(null)
  const text = cleanText(message)
  const sendable = text !== '' && !isTooLong(text)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!sendable || isLoading) return
    const idempotencyKey = idempotency.keyFor(text)
    const { data } = await reply({ ticketId: ticket.id, message: text, idempotencyKey })
    if (!data) return
    idempotency.accepted()
    // With an empty field the button is disabled, and would drop the focus.
    field.current?.focus()
    setMessage('')
    toastSuccess('Reply sent')
  }

  return (
    <form
      name="reply"
      className={`${styles.form} ${styles.reply}`}
      onSubmit={(event) => void submit(event)}
      noValidate
    >
      <MessageField
        ref={field}
        label="Your reply"
        rows={3}
        sending={isLoading}
        value={message}
        onChange={setMessage}
      />
      {error && <Alert problem="reply_failed">{problemText(error)}</Alert>}
      <div className={styles.foot}>
        <p className={styles.note}>
          {ticket.status === 'resolved' && 'A reply reopens the ticket.'}
        </p>
        <Button
          type="submit"
          size="dense"
          disabled={!sendable}
          pending={isLoading}
          data-event="send_reply"
        >
          {isLoading ? 'Sending...' : 'Send reply'}
        </Button>
      </div>
    </form>
  )
}
