import { Box, chakra, Flex } from '@chakra-ui/react'
import { StatusBadge } from '@/components/app/status-badge'
import { Button } from '@/components/button'
import type { TicketDesk } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'
import { useNow } from '@/lib/use-now'

interface LastMessageProps {
  desk: TicketDesk
  /** When the ticket was opened, with its own message. */
  created_at: string
  /** Shows the tickets of a tag. */
  onTag: (tag: string) => void
}

/** When the last message came and from whom, with a mark for a customer who waits for an answer; whose work it is. */
export function LastMessage({ desk, created_at, onTag }: LastMessageProps) {
  const { waiting_since, answer_due, last_message_at, last_message_by } = desk
  return (
    <Box>
      {waiting_since && (
        <StatusBadge tone="caution" icon={<Hourglass />}>
          Waiting for us
        </StatusBadge>
      )}
      {answer_due && <FirstAnswer due={answer_due} />}
      {last_message_at !== created_at && (
        <Box color="quiet">
          {last_message_by === 'customer' ? 'Customer wrote ' : 'Staff wrote '}
          <chakra.time dateTime={last_message_at} fontVariantNumeric="tabular-nums">
            {formatDateTime(last_message_at)}
          </chakra.time>
        </Box>
      )}
      {desk.assignee_email && (
        <Box color="quiet" overflowWrap="anywhere">
          Assigned to <bdi dir="ltr">{desk.assignee_email}</bdi>
        </Box>
      )}
      {desk.tags.length > 0 && (
        <Flex wrap="wrap" gap="1" mt="1">
          {desk.tags.map((tag) => (
            <Button
              key={tag}
              variant="ghost"
              size="dense"
              aria-label={`#${tag}: show its tickets`}
              data-event="filter_by_tag"
              onClick={() => onTag(tag)}
            >
              #{tag}
            </Button>
          ))}
        </Flex>
      )}
    </Box>
  )
}

/** Until when the first answer is due, or since when it is late. */
export function FirstAnswer({ due }: { due: string }) {
  const late = Date.parse(due) < useNow()
  return (
    <Box color={late ? 'danger' : 'quiet'} fontWeight={late ? 600 : undefined}>
      {late ? 'Answer overdue since ' : 'Answer due '}
      <chakra.time dateTime={due} fontVariantNumeric="tabular-nums">
        {formatDateTime(due)}
      </chakra.time>
    </Box>
  )
}

function Hourglass() {
  return (
    <svg viewBox="0 0 16 16" width="15" height="15" fill="none" aria-hidden="true">
      <path
        d="M4 2.5h8M4 13.5h8M5 2.5c0 4 6 4 6 11M11 2.5c0 4-6 4-6 11"
        stroke="currentColor"
        strokeWidth="1.7"
        strokeLinecap="round"
      />
    </svg>
  )
}
