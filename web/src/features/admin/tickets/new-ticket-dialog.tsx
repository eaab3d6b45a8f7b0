import { Flex, Text } from '@chakra-ui/react'
import type { FormEvent } from 'react'
import { Alert } from '@/components/app/alert'
import { Dialog, DialogForm } from '@/components/app/dialog'
import { Input, Textarea } from '@/components/app/field'
import { Labelled } from '@/components/app/labelled'
import { CategorySelect } from '@/components/app/tickets/category-select'
import { useTicketDraft } from '@/components/app/tickets/use-ticket-draft'
import { TooLong } from '@/components/app/tickets/too-long'
import { SUBJECT_MAX } from '@/components/app/tickets/words'
import { toastSuccess } from '@/components/app/toast'
import { Button } from '@/components/button'
import { useOpenTicketForMutation } from '@/lib/api/desk-api'
import { problemText } from '@/lib/api/problem'
import type { Ticket } from '@/lib/api/types'
import { cleanLine } from '@/lib/clean-text'
import { visibleAddress } from '@/lib/email-address'
import { useDraftGuard } from '../use-draft-guard'
import { useShown } from '../use-shown'
import { useStaffDraft, useStaffDraftName } from '../use-staff-draft'

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
  const [typed, setTyped] = useStaffDraft('ticket-for:email')
  const draft = useTicketDraft(useStaffDraftName(`ticket-for:${email ?? ''}`))
  const [openTicket, { isLoading, error }] = useOpenTicketForMutation()
  const whose = email ?? cleanLine(typed)
  const shown = useShown()
  const { content } = draft
  useDraftGuard([draft.subject, draft.message, email ? '' : typed].some((text) => text.trim()))

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!whose || !content || isLoading) return
    const idempotencyKey = draft.keyFor(content, whose)
    const { data } = await openTicket({ ...content, email: whose, idempotencyKey })
    if (!data) return
    draft.accepted()
    if (!email) setTyped('')
    toastSuccess('Success', `${data.ticket_id} opened`)
    // Once the dialog is closed, something else may be open, which this would cover.
    if (shown.current) onOpened(data)
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
              maxLength={254}
              readOnly={isLoading}
              value={typed}
              onChange={(event) => setTyped(visibleAddress(event.target.value))}
            />
          </Labelled>
        )}
        <Labelled label="Category">
          <CategorySelect sending={isLoading} value={draft.category} onChange={draft.setCategory} />
        </Labelled>
        <Labelled label="Subject (optional)">
          <Input
            maxLength={SUBJECT_MAX}
            readOnly={isLoading}
            value={draft.subject}
            onChange={(event) => draft.setSubject(event.target.value)}
          />
        </Labelled>
        <Labelled label="Message">
          <Textarea
            rows={6}
            readOnly={isLoading}
            value={draft.message}
            onChange={(event) => draft.setMessage(event.target.value)}
          />
        </Labelled>
        <TooLong message={draft.message} />
        {error && <Alert>{problemText(error, 'Failed to open the ticket')}</Alert>}
        <Button
          type="submit"
          disabled={!whose || !content}
          pending={isLoading}
          data-event="open_ticket_for"
        >
          Open ticket
        </Button>
      </Flex>
    </DialogForm>
  )
}
