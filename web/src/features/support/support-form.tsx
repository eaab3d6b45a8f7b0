import { type FormEvent, useId } from 'react'
import { Alert } from '@/components/app/alert'
import { Input } from '@/components/app/field'
import { CategorySelect } from '@/components/app/tickets/category-select'
import { useTicketDraft } from '@/components/app/tickets/use-ticket-draft'
import { SUBJECT_MAX } from '@/components/app/tickets/words'
import { Button } from '@/components/button'
import { useAuth } from '@/features/session/use-auth'
import { NO_SESSION, problemText } from '@/lib/api/problem'
import { useCreateTicketMutation } from '@/lib/api/support-api'
import type { Ticket } from '@/lib/api/types'
import styles from './form.module.css'
import { MessageField } from './message-field'

interface SupportFormProps {
  person: { id: string; email: string }
  onFiled: (ticket: Ticket) => void
  /** For whoever's session ended while they wrote. */
  onSignIn: () => void
}

/** What it is about, and the message. Everything typed stays until the server has it. */
export function SupportForm({ person, onFiled, onSignIn }: SupportFormProps) {
  const id = useId()
  const draft = useTicketDraft(`support:${person.id}`)
  const [create, { isLoading, error }] = useCreateTicketMutation()
  const { status } = useAuth()
  const signedOut = status === 'signed-out'
  const { content } = draft

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!content || isLoading) return
    const { data } = await create({ ...content, idempotencyKey: draft.keyFor(content) })
    if (!data) return
    draft.accepted()
    onFiled(data)
  }

  return (
    <form
      name="support"
      className={styles.form}
      onSubmit={(event) => void submit(event)}
      noValidate
    >
      <div>
        <label htmlFor={`${id}-category`} className={styles.label}>
          What is it about?
        </label>
        <CategorySelect
          id={`${id}-category`}
          sending={isLoading}
          value={draft.category}
          onChange={draft.setCategory}
        />
      </div>
      <div>
        <label htmlFor={`${id}-subject`} className={styles.label}>
          Subject (optional)
        </label>
        <Input
          id={`${id}-subject`}
          maxLength={SUBJECT_MAX}
          readOnly={isLoading}
          value={draft.subject}
          onChange={(event) => draft.setSubject(event.target.value)}
        />
      </div>
      <MessageField
        label="Message"
        rows={6}
        placeholder="What did you try, and what happened?"
        sending={isLoading}
        value={draft.message}
        onChange={draft.setMessage}
      />
      {(error || signedOut) && (
        <Alert problem="support_failed">{signedOut ? NO_SESSION : problemText(error)}</Alert>
      )}
      <div className={styles.foot}>
        {signedOut ? (
          <>
            {/* With a key of its own: a translator may have replaced the texts inside the paragraph below. */}
            <p key="kept" className={styles.note}>
              What you wrote is kept until you have signed in again.
            </p>
            <Button data-event="sign_in" onClick={onSignIn}>
              Sign in
            </Button>
          </>
        ) : (
          <>
            <p className={styles.note}>We reply by email to {person.email}.</p>
            <Button type="submit" disabled={!content} pending={isLoading} data-event="send_support">
              {isLoading ? 'Sending...' : 'Send'}
            </Button>
          </>
        )}
      </div>
    </form>
  )
}
