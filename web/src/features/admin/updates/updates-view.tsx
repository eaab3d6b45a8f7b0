import { Flex, Grid, Text } from '@chakra-ui/react'
import { useState } from 'react'
import { Alert } from '@/components/app/alert'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import { Button } from '@/components/button'
import {
  useGetDownloadStatsQuery,
  useGetReleasesQuery,
  useGetVersionUsageQuery,
} from '@/lib/api/releases-api'
import { statusTextOf } from '@/lib/api/problem'
import type { Release, ReleaseList as Releases } from '@/lib/api/types'
import { whole } from '@/lib/numbers'
import { formatDateTime } from '@/lib/dates'
import { DownloadCharts } from './download-charts'
import { ExplainUpdate } from './explain-update'
import { HowItWorks } from './how-it-works'
import { ReleaseList } from './release-list'
import { StatCard } from '../stat-card'
import { StillTrying } from '@/components/app/still-trying'
import { VersionsInUse } from './versions-in-use'

/** How often the list is asked for while checksums are worked out, in milliseconds. */
const EVERY_MS = 15_000

const waits = ({ isAvailable, updateProblem }: Release) =>
  isAvailable && updateProblem === 'no_checksum'

/** The desktop app's releases: what is offered, and how often it was taken. */
export function UpdatesView() {
  const { data, error, isFetching, refetch } = useGetReleasesQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })
  useGetReleasesQuery(undefined, {
    skip: !data?.releases.some(waits),
    pollingInterval: EVERY_MS,
  })
  const downloads = useGetDownloadStatsQuery(undefined, { refetchOnMountOrArgChange: true })
  const usage = useGetVersionUsageQuery(undefined, { refetchOnMountOrArgChange: true })
  const [changeError, setChangeError] = useState<string | null>(null)
  const releases = data?.releases ?? []
  const downloaded = releases.reduce((sum, { downloadCount }) => sum + downloadCount, 0)
  // Offered to somebody, on whatever channel.
  const available = releases.filter(({ isAvailable }) => isAvailable).length
  const loading = !data && isFetching
  const shown = (text: (list: Releases) => string) =>
    data ? text(data) : loading ? undefined : '–'
  const failure = changeError ?? (error ? `Failed to fetch releases: ${statusTextOf(error)}` : null)

  const refresh = () => {
    setChangeError(null)
    void refetch()
    void downloads.refetch()
    void usage.refetch()
  }

  return (
    <Flex direction="column" gap="6">
      <Flex wrap="wrap" align="center" justify="space-between" gap="3">
        <Text color="muted">Manage Electron app releases and availability</Text>
        <Button variant="secondary" pending={isFetching} data-event="refresh" onClick={refresh}>
          Refresh
        </Button>
      </Flex>
      <StillTrying waiting={loading} />
      {failure && <Alert>{failure}</Alert>}
      <Grid
        as="dl"
        templateColumns={{ md: 'repeat(3, 1fr)' }}
        overflow="hidden"
        borderBlock="1px solid {colors.line}"
      >
        <StatCard label="Total Downloads" value={shown(() => whole(downloaded))} />
        <StatCard label="Available Releases" value={shown(() => whole(available))} />
        <StatCard
          label="Last Check"
          value={shown(({ lastCheck }) => formatDateTime(lastCheck, 'Never'))}
        />
      </Grid>
      {loading && <Skeleton height="9rem" />}
      {data && <ReleaseList releases={releases} onError={setChangeError} />}
      <ExplainUpdate />
      <PartBoundary resetKey={downloads.data}>
        <DownloadCharts stats={downloads.data} error={downloads.error} />
      </PartBoundary>
      <PartBoundary resetKey={usage.data}>
        <VersionsInUse usage={usage.data} error={usage.error} />
      </PartBoundary>
      <HowItWorks />
    </Flex>
  )
}
