import { Text } from '@chakra-ui/react'
import type { TicketViewer } from '@/lib/api/types'

interface ViewersProps {
  others: readonly TicketViewer[]
  /** How often somebody else has changed the ticket since it was opened; null for never. */
  news: number | null
}

/** Who else has the ticket open, before two people answer it, and that it is not as it was opened. */
export function Viewers({ others, news }: ViewersProps) {
  return (
    <div role="status">
      {news !== null && (
        <Text key={news} fontSize="sm" color="caution">
          The ticket has just changed.
        </Text>
      )}
      {others.map(({ email, writing }) => (
        <Text key={email} fontSize="sm" color="caution" overflowWrap="anywhere">
          <bdi dir="ltr">{email}</bdi> {writing ? 'is writing an answer' : 'is looking at this'}
        </Text>
      ))}
    </div>
  )
}
