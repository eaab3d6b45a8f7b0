import { type FormEvent, useId } from 'react'
import { Alert } from '@/components/app/alert'
import { Input, Select } from '@/components/app/field'
import { SUBJECT_MAX, ticketCategories } from '@/components/app/tickets/words'
import { Button } from '@/components/button'
import { useAuth } from '@/features/session/use-auth'
import { NETWORK_ERROR, NO_SESSION, SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useCreateTicketMutation } from '@/lib/api/support-api'
import type { Ticket } from '@/lib/api/types'
import { cleanLine, cleanText } from '@/lib/clean-text'
import { useDraft } from '@/lib/use-draft'
import { titled } from '@/lib/words'
import styles from './form.module.css'
import { MessageField } from './message-field'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'

interface SupportFormProps {
  person: { id: string; email: string }
  onFiled: (ticket: Ticket) => void
  /** For whoever's session ended while they wrote. */
  onSignIn: () => void
}

/** What it is about, and the message. Everything typed stays until the server has it. */
export function SupportForm({ person, onFiled, onSignIn }: SupportFormProps) {
  const id = useId()
  const draft = `support:${person.id}`
  const [chosen, setChosen] = useDraft(`${draft}:category`)
  const [subject, setSubject] = useDraft(`${draft}:subject`)
  const [message, setMessage] = useDraft(draft)
  const idempotency = useIdempotencyKey(draft)
  const [create, { isLoading, error }] = useCreateTicketMutation()
  const { status } = useAuth()
  const signedOut = status === 'signed-out'
  const category = ticketCategories.find((value) => value === chosen)
  const text = cleanText(message)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!category || !text || isLoading) return
    const content = { category, message: text, subject: cleanLine(subject) || null }
    const idempotencyKey = idempotency.keyFor(category, content.message, content.subject ?? '')
    const { data } = await create({ ...content, idempotencyKey })
    if (!data) return
    idempotency.accepted()
    setChosen('')
    setSubject('')
    setMessage('')
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
        <Select
          id={`${id}-category`}
          required
          value={category ?? ''}
          onChange={(event) => setChosen(event.target.value)}
        >
          <option value="" disabled>
            Choose...
          </option>
          {ticketCategories.map((value) => (
            <option key={value} value={value}>
              {titled(value)}
            </option>
          ))}
        </Select>
      </div>
      <div>
        <label htmlFor={`${id}-subject`} className={styles.label}>
          Subject (optional)
        </label>
        <Input
          id={`${id}-subject`}
          maxLength={SUBJECT_MAX}
          readOnly={isLoading}
          value={subject}
          onChange={(event) => setSubject(event.target.value)}
        />
      </div>
      <MessageField
        label="Message"
        rows={6}
        placeholder="What did you try, and what happened?"
        sending={isLoading}
        value={message}
        onChange={setMessage}
      />
      {(error || signedOut) && (
        <Alert problem="support_failed">
          {signedOut ? NO_SESSION : problemText(error, SOMETHING_WRONG, NETWORK_ERROR)}
        </Alert>
      )}
      <div className={styles.foot}>
        {signedOut ? (
          <>
            <p className={styles.note}>What you wrote is kept until you have signed in again.</p>
            <Button data-event="sign_in" onClick={onSignIn}>
              Sign in
            </Button>
          </>
        ) : (
          <>
            <p className={styles.note}>We reply by email to {person.email}.</p>
            <Button
              type="submit"
              disabled={!category || !text}
              pending={isLoading}
              data-event="send_support"
            >
              {isLoading ? 'Sending...' : 'Send'}
            </Button>
          </>
        )}
      </div>
    </form>
  )
}
