import { useDeferredValue } from 'react'
import { Alert } from '@/components/app/alert'
import { PartBoundary } from '@/components/app/part-boundary'
import { Skeleton } from '@/components/app/skeleton'
import { Button } from '@/components/button'
import { useGetAdminStatsQuery } from '@/lib/api/admin-api'
import { problemText } from '@/lib/api/problem'
import type { AdminStats } from '@/lib/api/types'
import { ABSENT } from '@/lib/numbers'
import { StatCard } from '../stat-card'
import { StillTrying } from '@/components/app/still-trying'
import { BillingNotice } from './billing-notice'
import { type Figure, headlines } from './figures'
import { Group } from './group'
import styles from './overview-view.module.css'
import { LAST_30_DAYS, Panels } from './panels'

/** How the product does, as the services count it: key numbers first, then the panels. */
export function OverviewView() {
  const { data, error, isFetching, refetch } = useGetAdminStatsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })

  // Rendered in short tasks, after the headlines.
  const stats = useDeferredValue(data)
  return (
    <div className={styles.overview}>
      <div className={styles.head}>
        <p className={styles.period}>At a glance</p>
        <Button
          variant="secondary"
          pending={isFetching}
          data-event="refresh"
          onClick={() => void refetch()}
        >
          Refresh
        </Button>
      </div>
      <StillTrying waiting={!data && isFetching} />
      {error && <Alert>{problemText(error, 'Failed to fetch statistics')}</Alert>}
      {data?.subscriptions && <BillingNotice subscriptions={data.subscriptions} />}
      {(data || !error) && (
        <dl className={styles.figures}>
          {headlines.map(([name, value]) => (
            <PartBoundary
              key={name}
              resetKey={data}
              fallback={<StatCard label={name} value={ABSENT} />}
            >
              <Headline name={name} value={value} stats={data} />
            </PartBoundary>
          ))}
        </dl>
      )}
      {stats ? <Panels stats={stats} /> : !error && <PanelSkeletons />}
    </div>
  )
}

interface HeadlineProps {
  name: string
  value: Figure
  stats: AdminStats | undefined
}

/** One of the first row's numbers; without statistics it has yet to come. */
function Headline({ name, value, stats }: HeadlineProps) {
  return <StatCard label={name} value={stats && (value(stats) ?? ABSENT)} />
}

function PanelSkeletons() {
  return (
    <div aria-hidden>
      <Group period={LAST_30_DAYS}>
        {[0, 1, 2, 3].map((panel) => (
          <Skeleton key={panel} height="16rem" radius="lg" />
        ))}
      </Group>
    </div>
  )
}
