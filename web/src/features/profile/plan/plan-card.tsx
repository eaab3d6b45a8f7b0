import { Box, chakra, Flex, Heading, Skeleton, Text } from '@chakra-ui/react'
import { Card } from '@/components/app/card'
import { StatusBadge } from '@/components/app/status-badge'
import { useGetCreditBalanceQuery, useGetSubscriptionQuery } from '@/lib/api/billing-api'
import { LoadFailure } from '../billing/load-failure'
import type { PaymentProgress } from '../billing/use-payment'
import { usePortal } from '../billing/use-portal'
import { PaymentNotice } from './payment-notice'
import { PlanActions } from './plan-actions'
import { type PlanState, planState } from './plan-state'

interface PlanCardProps {
  progress: PaymentProgress
  onChoosePlan: () => void
}

/** The plan that the person has, and what can be done about it. */
export function PlanCard({ progress, onChoosePlan }: PlanCardProps) {
  const { data, error, isFetching, refetch } = useGetSubscriptionQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  // Whoever had credits once has paid once, and may need the receipt after the plan has ended.
  const { data: balance } = useGetCreditBalanceQuery()
  const portal = usePortal()
  const known = data !== undefined

  return (
    <Card aria-labelledby="plan" aria-busy={isFetching} display="flex" flexDirection="column">
      <Text color="quiet" fontSize="xs">
        Your plan
      </Text>
      {known ? (
        <Plan state={planState(data)} />
      ) : (
        <>
          <Heading as="h2" id="plan" className="visually-hidden">
            Your plan
          </Heading>
          {error ? (
            <Box mt="4">
              <LoadFailure
                error={error}
                wordless="Your plan could not be loaded."
                retrying={isFetching}
                onRetry={() => void refetch()}
              />
            </Box>
          ) : (
            <PlanSkeleton />
          )}
        </>
      )}
      <PaymentNotice progress={progress} />
      {known && (
        <Flex wrap="wrap" align="center" columnGap="4" rowGap="2" mt="auto" pt="8">
          <PlanActions
            actions={planState(data).actions}
            opening={portal.opening}
            onChoosePlan={onChoosePlan}
            onPortal={portal.open}
          />
          {(data || balance) && (
            <Link type="button" disabled={portal.opening} onClick={portal.open}>
              Invoices
            </Link>
          )}
        </Flex>
      )}
    </Card>
  )
}

function Plan({ state }: { state: PlanState }) {
  const { title, badge, description, credits, billing } = state
  return (
    <>
      <Flex wrap="wrap" align="baseline" columnGap="4" rowGap="1" mt="1" mb="3">
        <Heading as="h2" id="plan" fontSize="2xl" overflowWrap="anywhere">
          {title}
        </Heading>
        {badge && <StatusBadge tone={badge.tone}>{badge.text}</StatusBadge>}
      </Flex>
      <Flex direction="column" gap="1" color="muted" maxW="28rem">
        {description && <Text>{description}</Text>}
        {credits && <Text color="ink">{credits}</Text>}
        {billing && <Text fontSize="sm">{billing}</Text>}
      </Flex>
    </>
  )
}

function PlanSkeleton() {
  return (
    <Box>
      <span className="visually-hidden" role="status">
        Loading your plan...
      </span>
      <Box aria-hidden mt="3">
        <Skeleton height="1.75rem" width="11rem" maxW="70%" mb="5" />
        <Skeleton height="0.875rem" width="16rem" maxW="90%" mb="3" />
        <Skeleton height="0.75rem" width="13rem" maxW="80%" mb="8" />
        <Skeleton height="var(--target)" width="9rem" maxW="60%" />
      </Box>
    </Box>
  )
}

const Link = chakra('button', {
  base: {
    minH: 'var(--target)',
    px: 0,
    bg: 'transparent',
    color: 'ink',
    border: 'none',
    fontSize: 'sm',
    fontWeight: 600,
    textDecoration: 'underline',
    textDecorationColor: 'line-strong',
    textUnderlineOffset: '0.25em',
    _hover: { textDecorationColor: 'currentColor' },
    _disabled: { color: 'quiet' },
  },
})
