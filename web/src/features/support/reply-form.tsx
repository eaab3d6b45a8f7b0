import { Button, Flex, Text } from '@chakra-ui/react'
import { type FormEvent, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { toastSuccess } from '@/components/app/toast'
import { NETWORK_ERROR, SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useReplyToTicketMutation } from '@/lib/api/support-api'
import type { MyTicket } from '@/lib/api/types'
import { MessageField } from './message-field'
import { useRetryKey } from './use-retry-key'

/** Adds to a ticket; a resolved one is open again. What was typed stays until the server has it. */
export function ReplyForm({ ticket }: { ticket: MyTicket }) {
  const [message, setMessage] = useState('')
  const [reply, { isLoading, error }] = useReplyToTicketMutation()
  const retry = useRetryKey()
  const text = message.trim()

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!text || isLoading) return
    const idempotencyKey = retry.keyFor(text)
    const { data } = await reply({ ticketId: ticket.id, message: text, idempotencyKey })
    if (!data) return
    retry.taken()
    setMessage('')
    toastSuccess('Reply sent')
  }

  return (
    <Flex asChild direction="column" gap="3">
      <form name="reply" onSubmit={(event) => void submit(event)} noValidate>
        <MessageField label="Your reply" rows={3} value={message} onChange={setMessage} />
        {error && <Alert>{problemText(error, SOMETHING_WRONG, NETWORK_ERROR)}</Alert>}
        <Flex wrap="wrap" align="center" justify="space-between" gap="3">
          <Text color="muted" fontSize="xs">
            {ticket.status === 'resolved' && 'A reply reopens the ticket.'}
          </Text>
          <Button type="submit" size="sm" disabled={!text || isLoading}>
            {isLoading ? 'Sending...' : 'Send reply'}
          </Button>
        </Flex>
      </form>
    </Flex>
  )
}
