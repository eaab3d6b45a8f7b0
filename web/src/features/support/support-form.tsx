import { Box, Button, Flex, Input, Text } from '@chakra-ui/react'
import { type FormEvent, useId, useState } from 'react'
import { Alert } from '@/components/app/alert'
import { Select } from '@/components/app/field'
import { SUBJECT_MAX, ticketCategories } from '@/components/app/tickets/words'
import { NETWORK_ERROR, SOMETHING_WRONG } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useCreateTicketMutation } from '@/lib/api/support-api'
import type { Ticket, TicketCategory } from '@/lib/api/types'
import { titled } from '@/lib/words'
import { MessageField } from './message-field'
import { useRetryKey } from './use-retry-key'

interface SupportFormProps {
  email: string
  onFiled: (ticket: Ticket) => void
}

/** What it is about, and the message. Everything typed stays until the server has it. */
export function SupportForm({ email, onFiled }: SupportFormProps) {
  const id = useId()
  const [category, setCategory] = useState<TicketCategory | ''>('')
  const [subject, setSubject] = useState('')
  const [message, setMessage] = useState('')
  const [create, { isLoading, error }] = useCreateTicketMutation()
  const retry = useRetryKey()
  const ready = category !== '' && message.trim() !== ''

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (!ready || isLoading) return
    const content = { category, message: message.trim(), subject: subject.trim() || null }
    const idempotencyKey = retry.keyFor(category, content.message, content.subject ?? '')
    const { data } = await create({ ...content, idempotencyKey })
    if (!data) return
    retry.taken()
    onFiled(data)
  }

  return (
    <Flex asChild direction="column" gap="4">
      <form name="support" onSubmit={(event) => void submit(event)} noValidate>
        <Box>
          <Label htmlFor={`${id}-category`}>What is it about?</Label>
          <Select
            id={`${id}-category`}
            required
            value={category}
            onChange={(event) => setCategory(event.target.value as TicketCategory | '')}
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
        </Box>
        <Box>
          <Label htmlFor={`${id}-subject`}>Subject (optional)</Label>
          <Input
            id={`${id}-subject`}
            maxLength={SUBJECT_MAX}
            value={subject}
            onChange={(event) => setSubject(event.target.value)}
          />
        </Box>
        <MessageField
          label="Message"
          rows={6}
          placeholder="What did you try, and what happened?"
          value={message}
          onChange={setMessage}
        />
        {error && <Alert>{problemText(error, SOMETHING_WRONG, NETWORK_ERROR)}</Alert>}
        <Flex wrap="wrap" align="center" justify="space-between" gap="3">
          <Text flex="1 1 12rem" color="muted" fontSize="xs" overflowWrap="anywhere">
            We reply by email to {email}.
          </Text>
          <Button type="submit" disabled={!ready || isLoading}>
            {isLoading ? 'Sending...' : 'Send'}
          </Button>
        </Flex>
      </form>
    </Flex>
  )
}

function Label({ htmlFor, children }: { htmlFor: string; children: string }) {
  return (
    <Text as="label" display="block" mb="1" fontSize="sm" fontWeight={600} {...{ htmlFor }}>
      {children}
    </Text>
  )
}
