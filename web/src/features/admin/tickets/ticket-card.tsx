import { Box, chakra, Flex, Heading, Text } from '@chakra-ui/react'
import { CategoryBadge, PriorityBadge, TicketBadge } from '@/components/app/tickets/badges'
import { Button } from '@/components/button'
import type { Ticket } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { Checkbox } from '../checkbox'
import { StateBadge } from '../people/state-badge'
import { LastMessage } from './last-message'
import { Snippet } from './snippet'
import { ticketLayout } from './ticket-layout'

/** More than two lines ever show. */
const EXCERPT = 600

interface TicketCardProps {
  ticket: Ticket
  /** Where the search has found what only the messages have. */
  snippet: string | undefined
  search: string
  selected: boolean
  /** A change of the selected is under way. */
  waiting: boolean
  onSelect: (selected: boolean) => void
  onOpen: () => void
  onTag: (tag: string) => void
}

/** One ticket of the list. It can hold the focus, so that the keyboard can walk from one to another. */
export function TicketCard(props: TicketCardProps) {
  const { ticket, snippet, search, selected, waiting, onSelect, onOpen, onTag } = props
  const {
    ticket_id,
    user_email,
    created_at,
    status,
    priority,
    category,
    subject,
    message,
    user_state,
  } = ticket
  return (
    <Item
      data-ticket={ticket.id}
      tabIndex={-1}
      aria-labelledby={`ticket-${ticket.id}`}
      data-selected={selected || undefined}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onOpen()
      }}
    >
      <Checkbox
        checked={selected}
        aria-label={`Select ${ticket_id}`}
        aria-disabled={waiting || undefined}
        onChange={(event) => onSelect(event.target.checked)}
      />
      <Box minW={0}>
        <Flex wrap="wrap" align="center" columnGap="4" rowGap="1" mb="1">
          <Heading as="h3" id={`ticket-${ticket.id}`} fontSize="sm" lineHeight={1.6}>
            <chakra.span color="quiet" fontWeight={500}>
              Ticket #
            </chakra.span>
            <chakra.span fontVariantNumeric="tabular-nums">{ticket_id}</chakra.span>
          </Heading>
          <TicketBadge status={status} />
          <PriorityBadge priority={priority} />
          <CategoryBadge category={category} />
        </Flex>
        {subject && (
          <Text fontSize="sm" fontWeight={600} overflowWrap="anywhere" lineClamp={1}>
            <bdi>{subject}</bdi>
          </Text>
        )}
        <Text color="muted" fontSize="sm" lineClamp={2} overflowWrap="anywhere" dir="auto">
          {message.slice(0, EXCERPT)}
        </Text>
        {snippet && <Snippet text={snippet} search={search} />}
      </Box>
      <Box minW={0} fontSize="xs" lineHeight={1.6}>
        <Text overflowWrap="anywhere" fontWeight={550}>
          <bdi dir="ltr">{user_email}</bdi>
        </Text>
        {user_state && (
          <Text color="quiet">
            Account <StateBadge user={{ state: user_state }} />
          </Text>
        )}
        <chakra.time dateTime={created_at} color="quiet" fontVariantNumeric="tabular-nums">
          {formatDateTime(created_at)}
        </chakra.time>
        {ticket.desk && <LastMessage desk={ticket.desk} created_at={created_at} onTag={onTag} />}
      </Box>
      <Box>
        <Button
          variant="secondary"
          size="dense"
          aria-describedby={`ticket-${ticket.id}`}
          data-event="view_ticket"
          onClick={onOpen}
        >
          View Details
        </Button>
      </Box>
    </Item>
  )
}

/** Stands where a ticket cannot be shown. */
export function BrokenCard() {
  return (
    <Item>
      <span />
      <Text color="quiet" fontSize="sm">
        This ticket could not be shown.
      </Text>
    </Item>
  )
}

const Item = chakra('li', {
  base: {
    ...ticketLayout,
    _hover: { bg: 'sunk' },
    _focusVisible: { outlineOffset: '-2px', bg: 'sunk' },
    '&&[data-selected]': {
      bg: 'ember-wash',
      // On a phone the card has no padding: the ground reaches into the page's margin.
      boxShadow: {
        base: '-0.75rem 0 {colors.ember-wash}, 0.75rem 0 {colors.ember-wash}',
        md: 'none',
      },
    },
  },
})
