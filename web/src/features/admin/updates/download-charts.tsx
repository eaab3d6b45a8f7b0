import { Flex, Grid, Heading, Text } from '@chakra-ui/react'
import { Alert } from '@/components/app/alert'
import { Card } from '@/components/app/card'
import { Skeleton } from '@/components/app/skeleton'
import { StillTrying } from '@/components/app/still-trying'
import { statusTextOf } from '@/lib/api/problem'
import type { DownloadStats } from '@/lib/api/types'
import { DayCounts } from '../day-counts'
import { VersionTable } from './version-table'

interface DownloadChartsProps {
  /** Absent until they have come. */
  stats?: DownloadStats
  error?: unknown
}

/** What was downloaded through this site: by day, and by version and build. */
export function DownloadCharts({ stats, error }: DownloadChartsProps) {
  return (
    <Flex as="section" direction="column" gap="4" aria-labelledby="downloads">
      <Heading as="h2" id="downloads" fontSize="lg">
        Downloads from this site
      </Heading>
      {Boolean(error) && <Alert>Failed to fetch downloads: {statusTextOf(error)}</Alert>}
      {stats ? <Charts stats={stats} /> : !error && <Skeleton height="12rem" />}
      <StillTrying waiting={!stats && !error} />
    </Flex>
  )
}

function Charts({ stats: { days, versions } }: { stats: DownloadStats }) {
  if (versions.length === 0) return <Text color="muted">No downloads yet.</Text>
  return (
    <Grid templateColumns={{ lg: 'repeat(2, minmax(0, 1fr))' }} gap="5">
      <Card aria-labelledby="downloads-by-day">
        <Heading as="h3" id="downloads-by-day" fontSize="md" fontWeight={600}>
          By day, in UTC
        </Heading>
        <DayCounts
          days={days.map(({ day, total }) => ({ day, amount: total }))}
          unit="Downloads"
          one="download"
          many="downloads"
        />
      </Card>
      <Card aria-labelledby="downloads-by-version">
        <Heading as="h3" id="downloads-by-version" fontSize="md" fontWeight={600}>
          By version, all time
        </Heading>
        <VersionTable versions={versions} labelledBy="downloads-by-version" />
      </Card>
    </Grid>
  )
}
