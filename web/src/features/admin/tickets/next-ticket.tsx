import { Flex } from '@chakra-ui/react'
import { Button } from '@/components/button'
import type { Ticket } from '@/lib/api/types'

/** The ticket that the list has after the one with that id; the first one after the last. */
export function ticketAfter(tickets: readonly Ticket[], id: string): Ticket | undefined {
  const at = tickets.findIndex((ticket) => ticket.id === id)
  return [...tickets.slice(at + 1), ...tickets.slice(0, Math.max(at, 0))][0]
}

interface NextTicketProps {
  ticket: Ticket
  onOpen: () => void
}

/** After an answer: the way on to the next ticket. It has the focus, so that Enter goes on. */
export function NextTicket({ ticket, onOpen }: NextTicketProps) {
  return (
    <Flex justify="end">
      <Button
        variant="secondary"
        size="dense"
        autoFocus
        aria-label={`Next ticket: ${ticket.ticket_id}`}
        data-event="next_ticket"
        onClick={onOpen}
      >
        Next ticket
      </Button>
    </Flex>
  )
}
