import { Text } from '@chakra-ui/react'
import type { TicketViewer } from '@/lib/api/types'

/** Who else has the ticket open, before two people answer it. */
export function Viewers({ others }: { others: readonly TicketViewer[] }) {
  return (
    <div role="status">
      {others.map(({ email, writing }) => (
        <Text key={email} fontSize="sm" color="caution" overflowWrap="anywhere">
          <bdi dir="ltr">{email}</bdi> {writing ? 'is writing an answer' : 'is looking at this'}
        </Text>
      ))}
    </div>
  )
}
