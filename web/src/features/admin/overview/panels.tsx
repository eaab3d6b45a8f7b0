import type { DayAmount } from '@/components/app/charts/day-chart'
import { RankedBars } from '@/components/app/charts/ranked-bars'
import type { AdminStats } from '@/lib/api/types'
import { twoDecimals, whole } from '@/lib/numbers'
import { DayCounts } from '../day-counts'
import { Group } from './group'
import { Panel } from './panel'
import styles from './panels.module.css'
import { TicketPanels } from './ticket-panels'

export const LAST_30_DAYS = 'The last 30 days, in UTC'

/** As many versions as fit beside the other panels. */
const MAX_VERSIONS = 6

const none = (days: readonly DayAmount[]) => days.every(({ amount }) => amount === 0)

interface DaysPanelProps {
  title: string
  stats: AdminStats
  part: (stats: AdminStats) => DayAmount[] | null | undefined
  empty: string
  one: string
  many: string
  format?: (amount: number) => string
}

function DaysPanel({ one, many, format, ...panel }: DaysPanelProps) {
  return (
    <Panel {...panel} isEmpty={none}>
      {(days) => <DayCounts days={days} unit={panel.title} one={one} many={many} format={format} />}
    </Panel>
  )
}

/** A card for each statistic. */
export function Panels({ stats }: { stats: AdminStats }) {
  return (
    <>
      <Group period={LAST_30_DAYS}>
        <DaysPanel
          title="Sign-ups"
          stats={stats}
          part={({ waitlist }) =>
            waitlist?.days.map(({ day, sign_ups: amount }) => ({ day, amount }))
          }
          empty="No sign-ups in the last 30 days."
          one="sign-up"
          many="sign-ups"
        />
        <DaysPanel
          title="Approvals"
          stats={stats}
          part={({ waitlist }) =>
            waitlist?.days.map(({ day, approvals: amount }) => ({ day, amount }))
          }
          empty="No approvals in the last 30 days."
          one="approval"
          many="approvals"
        />
        <DaysPanel
          title="Credits spent"
          stats={stats}
          part={({ credits }) => credits?.days.map(({ day, spent: amount }) => ({ day, amount }))}
          empty="No credits spent in the last 30 days."
          one="credit"
          many="credits"
          format={twoDecimals}
        />
        <DaysPanel
          title="Downloads"
          stats={stats}
          part={({ downloads }) =>
            downloads?.days.map(({ day, total: amount }) => ({ day, amount }))
          }
          empty="No downloads in the last 30 days."
          one="download"
          many="downloads"
        />
        <Panel
          title="Invitations"
          stats={stats}
          part={({ waitlist }) => waitlist?.invitations}
          empty="Nobody was approved in the last 30 days."
          isEmpty={({ approved }) => approved === 0}
        >
          {({ approved, opened, signed_in, downloaded, reminded, expired }) => (
            <RankedBars
              label="Invitations"
              format={whole}
              rows={[
                { name: 'Approved', value: approved },
                { name: 'Opened the link', value: opened },
                { name: 'Signed in', value: signed_in },
                { name: 'Downloaded', value: downloaded },
                ...(reminded ? [{ name: 'Reminded', value: reminded }] : []),
                ...(expired ? [{ name: 'Expired', value: expired }] : []),
              ]}
            />
          )}
        </Panel>
      </Group>
      <Group period="Now, and in total">
        <TicketPanels stats={stats} />
        <Panel
          title="Subscriptions"
          stats={stats}
          part={({ subscriptions }) => subscriptions}
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
          stats={stats}
          part={({ downloads }) => downloads}
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
      </Group>
    </>
  )
}
