import { Flex, Text } from '@chakra-ui/react'
import type { FormEvent } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogForm } from '@/components/app/dialog'
import { Input, Select, Textarea } from '@/components/app/field'
import { Labelled } from '@/components/app/labelled'
import { MESSAGE_MAX, SUBJECT_MAX, ticketCategories } from '@/components/app/tickets/words'
import { toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { useAuth } from '@/features/session/use-auth'
import { useOpenTicketForMutation } from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type { Ticket } from '@/lib/api/types'
import { cleanLine, cleanText } from '@/lib/clean-text'
import { useDraft } from '@/lib/use-draft'
import { useIdempotencyKey } from '@/lib/use-idempotency-key'
import { titled } from '@/lib/words'

interface NewTicketDialogProps {
  open: boolean
  /** Whose ticket it is to be; left out, the address is asked for. */
  email?: string
  onClose: () => void
  onOpened: (ticket: Ticket) => void
}

/** Opens a ticket for a customer, who gets it by email. */
export function NewTicketDialog({ open, onClose, ...form }: NewTicketDialogProps) {
  return (
    <Dialog
      open={open}
      title="New ticket for a customer"
      description="They get it by email and find it in their profile"
      onClose={onClose}
    >
      {open && <NewTicketForm {...form} />}
    </Dialog>
  )
}

function NewTicketForm({ email, onOpened }: Pick<NewTicketDialogProps, 'email' | 'onOpened'>) {
  const { user } = useAuth()
  const draft = `ticket-for:${user?.id ?? ''}:${email ?? ''}`
  const [typed, setTyped] = useDraft(`${draft}:email`)
  const [chosen, setChosen] = useDraft(`${draft}:category`)
  const [subject, setSubject] = useDraft(`${draft}:subject`)
  const [message, setMessage] = useDraft(draft)
  const idempotency = useIdempotencyKey(draft)
  const [openTicket, { isLoading, error }] = useOpenTicketForMutation()
  const whose = email ?? cleanLine(typed)
  const category = ticketCategories.find((value) => value === chosen)
  const text = cleanText(message)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!whose || !category || !text || isLoading) return
    const content = { email: whose, category, message: text, subject: cleanLine(subject) || null }
    const key = idempotency.keyFor(whose, category, text, content.subject ?? '')
    const { data } = await openTicket({ ...content, idempotencyKey: key })
    if (!data) return
    idempotency.accepted()
    for (const empty of [setTyped, setChosen, setSubject, setMessage]) empty('')
    toastSuccess('Success', `${data.ticket_id} opened`)
    onOpened(data)
  }

  return (
    <DialogForm onSubmit={(event) => void submit(event)} noValidate>
      <Flex direction="column" gap="4">
        {email ? (
          <Text overflowWrap="anywhere">
            <bdi dir="ltr">{email}</bdi>
          </Text>
        ) : (
          <Labelled label="Email of the customer">
            <Input
              type="email"
              autoComplete="off"
              maxLength={320}
              value={typed}
              onChange={(event) => setTyped(event.target.value)}
            />
          </Labelled>
        )}
        <Labelled label="Category">
          <Select value={category ?? ''} onChange={(event) => setChosen(event.target.value)}>
            <option value="" disabled>
              Choose...
            </option>
            {ticketCategories.map((value) => (
              <option key={value} value={value}>
                {titled(value)}
              </option>
            ))}
          </Select>
        </Labelled>
        <Labelled label="Subject (optional)">
          <Input
            maxLength={SUBJECT_MAX}
            value={subject}
            onChange={(event) => setSubject(event.target.value)}
          />
        </Labelled>
        <Labelled label="Message">
          <Textarea
            rows={6}
            maxLength={MESSAGE_MAX}
            readOnly={isLoading}
            value={message}
            onChange={(event) => setMessage(event.target.value)}
          />
        </Labelled>
        {error && <Alert>{problemText(error, 'Failed to open the ticket')}</Alert>}
        <Button
          type="submit"
          disabled={!whose || !category || !text}
          pending={isLoading}
          data-event="open_ticket_for"
        >
          Open ticket
        </Button>
      </Flex>
    </DialogForm>
  )
}
