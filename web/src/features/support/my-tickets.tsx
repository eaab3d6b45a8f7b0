import { Box, Button, chakra, Flex, Heading, Skeleton, Text } from '@chakra-ui/react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { NETWORK_ERROR } from '@/lib/api/messages'
import { problemText } from '@/lib/api/problem'
import { useGetMyTicketsInfiniteQuery } from '@/lib/api/support-api'
import { MyTicket } from './my-ticket'
import { useSupport } from './support-provider'

const FAILED = 'Your tickets could not be loaded.'

/** What the person has asked us, and our answers. */
export function MyTickets() {
  const list = useGetMyTicketsInfiniteQuery(undefined, { refetchOnMountOrArgChange: true })
  const { data, error, isFetching } = list
  const ask = useSupport()
  const tickets = data?.pages.flatMap((page) => page.data)
  return (
    <Card id="my-tickets" aria-labelledby="my-tickets-title" pb="2" aria-busy={isFetching}>
      <Flex wrap="wrap" align="flex-start" justify="space-between" gap="4" mb="5">
        <Box flex="1 1 min(20rem, 100%)">
          <Heading as="h2" id="my-tickets-title" mb="2" fontSize="xl">
            My tickets
          </Heading>
          <Text color="muted" fontSize="sm" maxW="var(--measure)">
            What you have asked us, and our answers.
          </Text>
        </Box>
        <Button size="sm" variant="outline" maxW="100%" whiteSpace="normal" onClick={ask}>
          Contact support
        </Button>
      </Flex>
      {error && (
        <Flex direction="column" align="flex-start" gap="3" pb="4">
          <Alert width="100%">{problemText(error, FAILED, NETWORK_ERROR)}</Alert>
          <Button
            size="sm"
            variant="outline"
            disabled={isFetching}
            onClick={() => void list.refetch()}
          >
            {isFetching ? 'Trying...' : 'Try again'}
          </Button>
        </Flex>
      )}
      {!data && !error && <Waiting />}
      {tickets && tickets.length > 0 && (
        <chakra.ul role="list" aria-label="My tickets">
          {tickets.map((ticket) => (
            <MyTicket key={ticket.id} ticket={ticket} />
          ))}
        </chakra.ul>
      )}
      {tickets?.length === 0 && (
        <Text py="4" color="muted" borderTop="1px solid {colors.line}">
          You have not asked us anything yet.
        </Text>
      )}
      {list.hasNextPage && (
        <Flex justify="center" py="4" borderTop="1px solid {colors.line}">
          <Button
            size="sm"
            variant="outline"
            disabled={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            {list.isFetchingNextPage ? 'Loading...' : 'Older tickets'}
          </Button>
        </Flex>
      )}
    </Card>
  )
}

function Waiting() {
  return (
    <Box py="4" borderTop="1px solid {colors.line}">
      <span className="visually-hidden" role="status">
        Loading tickets...
      </span>
      <Skeleton height="0.75rem" width="60%" mb="3" aria-hidden />
      <Skeleton height="0.75rem" width="40%" aria-hidden />
    </Box>
  )
}
