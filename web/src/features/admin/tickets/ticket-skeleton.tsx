import { Box, chakra } from '@chakra-ui/react'
import { Skeleton } from '@/components/app/skeleton'
import { ticketLayout } from './ticket-layout'

const ROWS = 6
const lines = ['14rem', '92%', '64%']

/** Tickets that are on their way, as tall as they will be. */
export function TicketSkeleton() {
  return (
    <div aria-hidden>
      {Array.from({ length: ROWS }, (_, row) => (
        <chakra.div key={row} css={ticketLayout}>
          <Box boxSize="1.75rem" />
          <Box>
            {lines.map((width) => (
              <Line key={width} width={width} />
            ))}
          </Box>
          <Box>
            <Line width="80%" />
            <Line width="55%" />
          </Box>
          <Skeleton height="2.25rem" width="7rem" />
        </chakra.div>
      ))}
    </div>
  )
}

function Line({ width }: { width: string }) {
  return (
    <Box height="1.45rem" display="flex" alignItems="center">
      <Skeleton height="0.75rem" width={width} />
    </Box>
  )
}
