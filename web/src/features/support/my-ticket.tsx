import { Box, Button, chakra, Flex, Text } from '@chakra-ui/react'
import { StatusBadge } from '@/components/app/tickets/badges'
import { Thread, type ThreadMessage } from '@/components/app/tickets/thread'
import { site } from '@/config/site'
import type { MyTicket as Ticket } from '@/lib/api/types'
import { formatDateTime } from '@/lib/format-date-time'
import { ReplyForm } from './reply-form'
import { useSupport } from './support-provider'

const authors: Record<ThreadMessage['author'], string> = {
  customer: 'You',
  staff: `${site.name} support`,
}

/** One ticket of the person's own: closed a line, open its thread and a way to reply. */
export function MyTicket({ ticket }: { ticket: Ticket }) {
  const { id, ticket_id, subject, message, status, created_at, updated_at, messages } = ticket
  const thread: ThreadMessage[] = [
    { id, author: 'customer', body: message, created_at },
    ...messages,
  ]
  return (
    <chakra.li borderTop="1px solid {colors.line}">
      <details>
        <Summary>
          <Box flex="1 1 14rem" minW={0}>
            <Text fontWeight={600} fontSize="sm" lineClamp={1} overflowWrap="anywhere">
              <bdi>{subject ?? message.slice(0, 200)}</bdi>
            </Text>
            <Text color="quiet" fontSize="xs" fontVariantNumeric="tabular-nums">
              {ticket_id} · {formatDateTime(updated_at)}
            </Text>
          </Box>
          <Box ms={{ base: '6', sm: '0' }}>
            <StatusBadge status={status} />
          </Box>
        </Summary>
        <Flex direction="column" gap="5" pt="2" pb="5">
          <Thread
            label={`Conversation about ${ticket_id}`}
            messages={thread}
            name={({ author }) => authors[author]}
          />
          {status === 'closed' ? <Closed /> : <ReplyForm ticket={ticket} />}
        </Flex>
      </details>
    </chakra.li>
  )
}

function Closed() {
  const ask = useSupport()
  return (
    <Flex wrap="wrap" align="center" gap="3" fontSize="sm" color="muted">
      This ticket is closed.
      <Button size="sm" variant="outline" onClick={ask}>
        Ask something new
      </Button>
    </Flex>
  )
}

const Summary = chakra('summary', {
  base: {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    columnGap: '4',
    rowGap: '1',
    py: '4',
    cursor: 'pointer',
    listStyle: 'none',
    '&::-webkit-details-marker': { display: 'none' },
    _before: {
      content: '""',
      flexShrink: 0,
      boxSize: '0.5rem',
      borderInlineEnd: '2px solid {colors.quiet}',
      borderBlockEnd: '2px solid {colors.quiet}',
      rotate: '-45deg',
      transition: 'rotate var(--duration-fast)',
    },
    'details[open] > &': { _before: { rotate: '45deg' } },
  },
})
