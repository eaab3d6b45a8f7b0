import { Button, Flex, Grid, Skeleton, Text } from '@chakra-ui/react'
import { Alert } from '@/components/app/alert'
import { InTurn } from '@/components/app/in-turn'
import { useGetAdminStatsQuery } from '@/lib/api/admin-api'
import { problemText } from '@/lib/api/problem'
import { StatCard } from '../stat-card'
import { headline } from './figures'
import { Panels } from './panels'

/** How the product does, as the services count it: numbers first, then the last 30 days. */
export function OverviewView() {
  const { data, error, isFetching, refetch } = useGetAdminStatsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })

  return (
    <Flex direction="column" gap="6">
      <InTurn>
        <Flex wrap="wrap" align="center" justify="space-between" gap="3">
          <Text color="muted">The last 30 days, in UTC</Text>
          <Button variant="outline" disabled={isFetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        </Flex>
        {error && <Alert>{problemText(error, 'Failed to fetch figures')}</Alert>}
        {(data || !error) && (
          <Grid
            as="dl"
            templateColumns={{
              base: 'repeat(2, minmax(0, 1fr))',
              md: 'repeat(3, 1fr)',
              lg: 'repeat(5, 1fr)',
            }}
            borderBlock="1px solid {colors.line}"
          >
            {headline(data).map(({ name, value }) => (
              <StatCard key={name} label={name} value={value} />
            ))}
          </Grid>
        )}
        {data ? <Panels stats={data} /> : !error && <PanelSkeletons />}
      </InTurn>
    </Flex>
  )
}

function PanelSkeletons() {
  return (
    <Grid templateColumns={{ md: 'repeat(2, 1fr)' }} gap="5" aria-hidden>
      {[0, 1, 2, 3].map((panel) => (
        <Skeleton key={panel} height="16rem" borderRadius="lg" />
      ))}
    </Grid>
  )
}
