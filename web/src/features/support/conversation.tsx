import { Flex } from '@chakra-ui/react'
import { useRef } from 'react'
import { EarlierMessages } from '@/components/app/tickets/earlier-messages'
import { Thread } from '@/components/app/tickets/thread'
import { useEarlier } from '@/components/app/tickets/use-earlier'
import { Button } from '@/components/button'
import { site } from '@/config/site'
import { useLazyGetMyEarlierQuery } from '@/lib/api/desk-api'
import type { MyTicket, TicketMessage } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import { titled } from '@/lib/words'
import { ReplyForm } from './reply-form'
import { useSupport } from './support-provider'

const authors = {
  customer: 'You',
  staff: `${site.name} support`,
}

/** What was written about a ticket of the person's own, and a way to reply. */
export function Conversation({ ticket }: { ticket: MyTicket }) {
  const { id, ticket_id, message, status, created_at } = ticket
  const [load] = useLazyGetMyEarlierQuery()
  const earlier = useEarlier<TicketMessage>(ticket, (before) => load({ id, before }).unwrap())
  const list = useRef<HTMLDivElement>(null)
  const own: TicketMessage = { id, author: 'customer', body: message, created_at }
  return (
    <Flex ref={list} tabIndex={-1} direction="column" gap="5" pt="2" pb="5">
      <EarlierMessages thread={earlier} listRef={list} />
      <Thread
        label={`Conversation about ${ticket_id}`}
        messages={[own, ...earlier.messages]}
        name={({ author }) => lookup(authors, author) ?? titled(author)}
      />
      {status === 'closed' ? <Closed /> : <ReplyForm ticket={ticket} />}
    </Flex>
  )
}

function Closed() {
  const ask = useSupport()
  return (
    <Flex wrap="wrap" align="center" gap="3" fontSize="sm" color="muted">
      This ticket is closed.
      <Button size="dense" variant="secondary" data-event="open_support" onClick={ask}>
        Open a new ticket
      </Button>
    </Flex>
  )
}
