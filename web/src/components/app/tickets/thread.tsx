import { Box, chakra, Flex } from '@chakra-ui/react'
import type { TicketMessage } from '@/lib/api/types'
import { formatDateTime } from '@/lib/dates'

interface ThreadProps<Message extends TicketMessage> {
  label: string
  messages: readonly Message[]
  /** What the author is called. */
  name: (message: Message) => string
}

/** The messages of a ticket, oldest first; those of staff have an ember rule. */
export function Thread<Message extends TicketMessage>(props: ThreadProps<Message>) {
  const { label, messages, name } = props
  return (
    <Flex as="ol" role="list" aria-label={label} direction="column" gap="4">
      {messages.map((message) => (
        <Item key={message.id} data-author={message.author}>
          <Flex wrap="wrap" align="baseline" columnGap="3" fontSize="xs">
            <Box as="span" fontWeight={650} overflowWrap="anywhere">
              <bdi>{name(message)}</bdi>
            </Box>
            <chakra.time
              dateTime={message.created_at}
              color="quiet"
              fontVariantNumeric="tabular-nums"
            >
              {formatDateTime(message.created_at)}
            </chakra.time>
          </Flex>
          <PlainText dir="auto" maxW="var(--measure)">
            {message.body}
          </PlainText>
        </Item>
      ))}
    </Flex>
  )
}

const Item = chakra('li', {
  base: {
    ps: '4',
    borderInlineStart: '2px solid {colors.line-strong}',
    '&[data-author=staff]': { borderInlineStartColor: 'ember' },
  },
})

/** Somebody's own words: nothing in them is markup, their lines are kept. */
export const PlainText = chakra('p', {
  base: { fontSize: 'sm', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
})
