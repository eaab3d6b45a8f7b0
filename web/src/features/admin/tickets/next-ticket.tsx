import { Flex } from '@chakra-ui/react'
import type { Ref } from 'react'
import { Button } from '@/components/button'
import type { Ticket } from '@/lib/api/types'

/** The ticket that the list has after the one with that id; the first one after the last. */
export function ticketAfter(tickets: readonly Ticket[], id: string): Ticket | undefined {
  const at = tickets.findIndex((ticket) => ticket.id === id)
  return [...tickets.slice(at + 1), ...tickets.slice(0, Math.max(at, 0))][0]
}

interface NextTicketProps {
  ref: Ref<HTMLButtonElement>
  ticket: Ticket
  onOpen: () => void
}

/** After an answer: the way on to the next ticket. */
export function NextTicket({ ref, ticket, onOpen }: NextTicketProps) {
  return (
    <Flex justify="end">
      <Button
        ref={ref}
        variant="secondary"
        size="dense"
        aria-label={`Next ticket: ${ticket.ticket_id}`}
        data-event="next_ticket"
        onClick={onOpen}
      >
        Next ticket
      </Button>
    </Flex>
  )
}
