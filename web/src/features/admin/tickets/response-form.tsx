import { Button, Flex, Text } from '@chakra-ui/react'
import { useId } from 'react'
import { Textarea } from '@/components/app/field'
import { MESSAGE_MAX } from '@/components/app/tickets/words'
import type { StaffTicketStatus, TicketStatus } from '@/lib/api/types'

interface ResponseFormProps {
  status: TicketStatus
  response: string
  onResponse: (text: string) => void
  /** Nothing can be decided now: a decision is in flight, or was made on an older ticket. */
  resting: boolean
  onStatus: (status: StaffTicketStatus) => void
}

const actions = [
  { status: 'in_progress', label: 'Mark In Progress', variant: 'outline' },
  { status: 'resolved', label: '✓ Mark Resolved', variant: 'solid' },
  { status: 'closed', label: 'Close Ticket', variant: 'outline' },
] as const satisfies { status: StaffTicketStatus; label: string; variant: string }[]

/** The answer to the customer, which goes with whichever status is chosen. */
export function ResponseForm(props: ResponseFormProps) {
  const { status, response, onResponse, resting, onStatus } = props
  const id = useId()
  return (
    <Flex direction="column" gap="3">
      <Flex justify="space-between" gap="3" fontSize="sm">
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
        maxLength={MESSAGE_MAX}
        value={response}
        onChange={(event) => onResponse(event.target.value)}
      />
      <Flex wrap="wrap" gap="2">
        {actions.map((action) => (
          <Button
            key={action.status}
            flex={{ base: '1 1 auto', sm: '0 0 auto' }}
            size="sm"
            variant={action.variant}
            disabled={resting || action.status === status}
            onClick={() => onStatus(action.status)}
          >
            {action.label}
          </Button>
        ))}
      </Flex>
    </Flex>
  )
}
