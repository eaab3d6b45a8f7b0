import type { DayAmount } from '@/components/app/charts/day-chart'
import { RankedBars } from '@/components/app/charts/ranked-bars'
import { InTurn } from '@/components/app/in-turn'
import type { AdminStats } from '@/lib/api/types'
import { twoDecimals, whole } from '@/lib/numbers'
import { DayCounts } from '../day-counts'
import { openTickets } from './figures'
import { Group } from './group'
import { Panel } from './panel'
import styles from './panels.module.css'

export const LAST_30_DAYS = 'The last 30 days, in UTC'

/** As many versions as fit beside the other panels. */
const MAX_VERSIONS = 6

const none = (days: readonly DayAmount[]) => days.every(({ amount }) => amount === 0)

/** A card for each statistic. */
export function Panels({ stats }: { stats: AdminStats }) {
  const { waitlist, tickets, subscriptions, credits, downloads } = stats
  const signUps = waitlist?.days.map(({ day, sign_ups }) => ({ day, amount: sign_ups })) ?? null
  const approvals = waitlist?.days.map(({ day, approvals: n }) => ({ day, amount: n })) ?? null
  const spent = credits?.days.map(({ day, spent: n }) => ({ day, amount: n })) ?? null
  const taken = downloads?.days.map(({ day, total }) => ({ day, amount: total })) ?? null

  return (
    <>
      <Group period={LAST_30_DAYS}>
        <InTurn>
          <Panel
            title="Sign-ups"
            part={signUps}
            empty="No sign-ups in the last 30 days."
            isEmpty={none}
          >
            {(days) => <DayCounts days={days} unit="Sign-ups" one="sign-up" many="sign-ups" />}
          </Panel>
          <Panel
            title="Approvals"
            part={approvals}
            empty="No approvals in the last 30 days."
            isEmpty={none}
          >
            {(days) => <DayCounts days={days} unit="Approvals" one="approval" many="approvals" />}
          </Panel>
          <Panel
            title="Credits spent"
            part={spent}
            empty="No credits spent in the last 30 days."
            isEmpty={none}
          >
            {(days) => (
              <DayCounts
                days={days}
                unit="Credits spent"
                one="credit"
                many="credits"
                format={twoDecimals}
              />
            )}
          </Panel>
          <Panel
            title="Downloads"
            part={taken}
            empty="No downloads in the last 30 days."
            isEmpty={none}
          >
            {(days) => <DayCounts days={days} unit="Downloads" one="download" many="downloads" />}
          </Panel>
        </InTurn>
      </Group>
      <Group period="Now, and in total">
        <InTurn>
          <Panel
            title="Open tickets by priority"
            part={tickets}
            empty="No open tickets."
            isEmpty={(part) => openTickets(part) === 0}
          >
            {({ open }) => (
              <RankedBars
                label="Open tickets by priority"
                format={whole}
                rows={[
                  { name: 'Urgent', value: open.urgent },
                  { name: 'High', value: open.high },
                  { name: 'Medium', value: open.medium },
                  { name: 'Low', value: open.low },
                ]}
              />
            )}
          </Panel>
          <Panel
            title="Subscriptions"
            part={subscriptions}
            empty="No subscribers yet."
            isEmpty={({ active, cancelled, past_due }) => active + cancelled + past_due === 0}
          >
            {({ plans, cancelled, past_due }) => (
              <>
                <RankedBars
                  label="Active subscriptions by plan"
                  format={whole}
                  rows={plans.map(({ name, active }) => ({ name, value: active }))}
                />
                <p className={styles.ending}>
                  {whole(past_due)} with an overdue payment, {whole(cancelled)} ending after the
                  current period
                </p>
              </>
            )}
          </Panel>
          <Panel
            title="Downloads by version"
            part={downloads}
            empty="No downloads yet."
            isEmpty={({ versions }) => versions.length === 0}
          >
            {({ versions }) => (
              <RankedBars
                label="Downloads by version"
                format={whole}
                rows={versions
                  .slice(0, MAX_VERSIONS)
                  .map(({ version, total }) => ({ name: `v${version}`, value: total }))}
              />
            )}
          </Panel>
        </InTurn>
      </Group>
    </>
  )
}
