import { Alert } from '@/components/app/alert'
import { InTurn } from '@/components/app/in-turn'
import { Skeleton } from '@/components/app/skeleton'
import button from '@/components/button.module.css'
import { useGetAdminStatsQuery } from '@/lib/api/admin-api'
import { problemText } from '@/lib/api/problem'
import { StatCard } from '../stat-card'
import { headline } from './figures'
import { Group } from './group'
import styles from './overview-view.module.css'
import { LAST_30_DAYS, Panels } from './panels'

/** How the product does, as the services count it: key numbers first, then the panels. */
export function OverviewView() {
  const { data, error, isFetching, refetch } = useGetAdminStatsQuery(undefined, {
    refetchOnMountOrArgChange: true,
  })

  return (
    <div className={styles.overview}>
      <InTurn>
        <div className={styles.head}>
          <p className={styles.period}>At a glance</p>
          <button
            type="button"
            className={`${button.secondary} ${button.raised}`}
            disabled={isFetching}
            onClick={() => void refetch()}
          >
            Refresh
          </button>
        </div>
        {error && <Alert>{problemText(error, 'Failed to fetch statistics')}</Alert>}
        {(data || !error) && (
          <dl className={styles.figures}>
            {headline(data).map(({ name, value }) => (
              <StatCard key={name} label={name} value={value} />
            ))}
          </dl>
        )}
        {data ? <Panels stats={data} /> : !error && <PanelSkeletons />}
      </InTurn>
    </div>
  )
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
