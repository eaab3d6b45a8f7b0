import { Flex, Text } from '@chakra-ui/react'
import { useId } from 'react'
import { Textarea } from '@/components/app/field'
import { TooLong } from '@/components/app/tickets/too-long'
import { isTooLong } from '@/components/app/tickets/words'
import { Button } from '@/components/button'
import { cleanText } from '@/lib/clean-text'
import type { StaffTicketStatus } from '@/lib/api/types'
import styles from './response-form.module.css'

export type Sending = StaffTicketStatus | 'response'

interface ResponseFormProps {
  status: string
  response: string
  onResponse: (text: string) => void
  /** The status that is being set, or 'response' while only that is being sent. */
  sending: Sending | null
  /** The shown ticket is out of date and has to be refreshed first. */
  outdated: boolean
  onStatus: (status: StaffTicketStatus) => void
  /** Sends the response and leaves the status as it is. */
  onSend: () => void
}

const actions = [
  { status: 'in_progress', label: 'Mark In Progress', variant: 'secondary' },
  { status: 'resolved', label: '✓ Mark Resolved', variant: 'primary' },
  { status: 'closed', label: 'Close Ticket', variant: 'secondary' },
] as const satisfies { status: StaffTicketStatus; label: string; variant: string }[]

/** The answer to the customer, which goes with whichever status is chosen. */
export function ResponseForm(props: ResponseFormProps) {
  const { status, response, onResponse, sending, outdated, onStatus, onSend } = props
  const id = useId()
  const waiting = sending !== null || outdated
  const tooLong = isTooLong(response)
  return (
    <Flex direction="column" gap="3">
      <Flex justify="space-between" wrap="wrap" columnGap="3" fontSize="sm">
        <label htmlFor={id}>
          <Text as="span" fontWeight={600} whiteSpace="nowrap">
            Admin Response
          </Text>
        </label>
        <Text color="quiet" fontSize="xs">
          The customer gets it by email
        </Text>
      </Flex>
      <Textarea
        id={id}
        rows={4}
        placeholder="Add your response..."
        readOnly={sending !== null}
        value={response}
        onChange={(event) => onResponse(event.target.value)}
      />
      <TooLong message={response} />
      <Flex wrap="wrap" gap="2">
        {actions.map((action) => (
          <Button
            key={action.status}
            className={styles.action}
            size="dense"
            variant={action.variant}
            disabled={action.status === status || tooLong}
            pending={action.status === sending}
            aria-disabled={waiting}
            data-event={`set_ticket_${action.status}`}
            onClick={() => onStatus(action.status)}
          >
            {action.label}
          </Button>
        ))}
        <Button
          className={styles.action}
          size="dense"
          variant="secondary"
          disabled={cleanText(response) === '' || tooLong}
          pending={sending === 'response'}
          aria-disabled={waiting}
          data-event="send_ticket_response"
          onClick={onSend}
        >
          Send Response
        </Button>
      </Flex>
    </Flex>
  )
}
