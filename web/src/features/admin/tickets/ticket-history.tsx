import { chakra, Text } from '@chakra-ui/react'
import type { TicketChange } from '@/lib/api/types'
import { spaced } from '@/lib/words'
import { formatDateTime } from '@/lib/dates'
import { staffName } from './staff-name'

function words({ field, from, to }: TicketChange): string {
  if (field === 'message') return to === 'staff' ? 'answered' : 'wrote a message'
  if (field === 'opened') return 'opened the ticket for the customer'
  if (field === 'plan')
    return `changed the priority from ${spaced(from ?? 'none')} to ${spaced(to)}`
  const change = `from ${spaced(from ?? 'none')} to ${spaced(to)}`
  return field === 'status' ? `set the status ${change}` : `changed ${spaced(field)} ${change}`
}

/** Who did what to the ticket, the newest first; closed until somebody wants to know. */
export function TicketHistory({ history }: { history: readonly TicketChange[] }) {
  if (history.length === 0) return null
  return (
    <chakra.details fontSize="sm">
      <chakra.summary py="1" color="muted" fontWeight={600} cursor="pointer">
        History ({history.length})
      </chakra.summary>
      <chakra.ol role="list" aria-label="History" mt="1">
        {[...history].reverse().map((change) => (
          <chakra.li
            key={change.id}
            display="flex"
            flexWrap="wrap"
            columnGap="4"
            py="1"
            borderTop="1px solid {colors.line}"
          >
            <chakra.time dateTime={change.at} color="quiet" fontVariantNumeric="tabular-nums">
              {formatDateTime(change.at)}
            </chakra.time>
            <Text as="span" minW={0} overflowWrap="anywhere">
              <bdi dir="ltr">
                {change.field === 'plan' ? "The customer's plan" : staffName(change.actor_email)}
              </bdi>{' '}
              {words(change)}
            </Text>
          </chakra.li>
        ))}
      </chakra.ol>
    </chakra.details>
  )
}
