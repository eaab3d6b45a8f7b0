import { Box, Button, chakra, Flex, Heading, Skeleton } from '@chakra-ui/react'
import { Card } from '@/components/app/card'
import {
  useGetCreditBalanceQuery,
  useGetSubscriptionQuery,
  useGetTokenBalanceQuery,
} from '@/lib/api/billing-api'
import { LoadFailure } from '../billing/load-failure'
import { CreditBar } from './credit-bar'
import { type CreditState, creditState } from './credit-state'
import { usage } from './usage'

/** How many credits are left: the number that matters. */
export function CreditsCard({ onDetails }: { onDetails: () => void }) {
  const balance = useGetCreditBalanceQuery(undefined, { refetchOnMountOrArgChange: true })
  const { data: credits } = useGetTokenBalanceQuery(undefined, { refetchOnMountOrArgChange: true })
  const subscription = useGetSubscriptionQuery()
  // The plan only says how many there could be; without it there is still a number to show.
  const known = balance.data !== undefined && !(balance.data === null && subscription.isLoading)

  return (
    <Card
      aria-labelledby="credits"
      aria-busy={balance.isFetching}
      display="flex"
      flexDirection="column"
    >
      <Heading
        as="h2"
        id="credits"
        color="quiet"
        fontSize="xs"
        fontWeight={400}
        lineHeight="var(--leading-body)"
        letterSpacing="0"
      >
        Credits Remaining
      </Heading>
      {known ? (
        <Balance
          state={creditState(balance.data ?? null, subscription.data ?? null)}
          note={usage(credits)}
        />
      ) : balance.error ? (
        <Box mt="4">
          <LoadFailure
            error={balance.error}
            wordless="Your credits could not be loaded."
            retrying={balance.isFetching}
            onRetry={() => void balance.refetch()}
          />
        </Box>
      ) : (
        <CreditsSkeleton />
      )}
      <Flex mt="auto" pt="8">
        <Button variant="outline" maxW="100%" whiteSpace="normal" onClick={onDetails}>
          View Details
        </Button>
      </Flex>
    </Card>
  )
}

function Balance({ state, note }: { state: CreditState; note: string }) {
  return (
    <>
      <chakra.p
        mt="1"
        mb="4"
        lineHeight={1.05}
        fontVariantNumeric="tabular-nums"
        overflowWrap="anywhere"
      >
        <chakra.span
          fontSize="min(clamp(2.75rem, 2.2rem + 2vw, 3.75rem), 16vw)"
          fontWeight={650}
          letterSpacing="var(--tracking-display)"
        >
          {state.left}
        </chakra.span>
        <chakra.span color="quiet" fontSize="lg">{` / ${state.max}`}</chakra.span>
      </chakra.p>
      <CreditBar state={state} note={note} />
    </>
  )
}

function CreditsSkeleton() {
  return (
    <Box>
      <span className="visually-hidden" role="status">
        Loading your credits...
      </span>
      <Box aria-hidden mt="3">
        <Skeleton height="2.5rem" width="12rem" maxW="70%" mb="5" />
        <Skeleton height="0.5rem" mb="4" />
        <Skeleton height="0.75rem" width="10rem" maxW="60%" />
      </Box>
    </Box>
  )
}
