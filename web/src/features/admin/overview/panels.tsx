import type { DayAmount } from '@/components/app/charts/day-chart'
import { RankedBars } from '@/components/app/charts/ranked-bars'
import { ticketPriorities } from '@/components/app/tickets/words'
import type { AdminStats, TicketWeek } from '@/lib/api/types'
import { twoDecimals, whole } from '@/lib/numbers'
import { titled } from '@/lib/words'
import { DayCounts } from '../day-counts'
import { duration, openTickets } from './figures'
import { Group } from './group'
import { Panel } from './panel'
import styles from './panels.module.css'
import { WeeklyTimes } from './weekly-times'

export const LAST_30_DAYS = 'The last 30 days, in UTC'

/** As many versions as fit beside the other panels. */
const MAX_VERSIONS = 6

const totalOf = (days: readonly { total: number }[]) =>
  days.reduce((sum, { total }) => sum + total, 0)

const none = (days: readonly DayAmount[]) => days.every(({ amount }) => amount === 0)

/** The most pressing first, those that are not known here last. */
function byPriority(open: Readonly<Record<string, number>>) {
  const names = new Set<string>([...ticketPriorities, ...Object.keys(open)])
  return [...names].map((name) => ({ name: titled(name), value: open[name] ?? 0 }))
}

function byAge(backlog: NonNullable<AdminStats['tickets']>['backlog']) {
  const sum = (age: 'day' | 'week' | 'older') =>
    backlog.reduce((total, counts) => total + counts[age], 0)
  return [
    { name: 'Up to a day', value: sum('day') },
    { name: 'Up to a week', value: sum('week') },
    { name: 'Older', value: sum('older') },
  ]
}

interface DaysPanelProps {
  title: string
  stats: AdminStats
  part: (stats: AdminStats) => DayAmount[] | null
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

interface WeeksPanelProps {
  title: string
  stats: AdminStats
  part: (stats: AdminStats) => TicketWeek[] | null
  empty: string
}

function WeeksPanel(panel: WeeksPanelProps) {
  return (
    <Panel {...panel} isEmpty={(weeks) => weeks.length === 0}>
      {(weeks) => <WeeklyTimes title={panel.title} weeks={weeks} />}
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
            waitlist && waitlist.days.map(({ day, sign_ups: amount }) => ({ day, amount }))
          }
          empty="No sign-ups in the last 30 days."
          one="sign-up"
          many="sign-ups"
        />
        <DaysPanel
          title="Approvals"
          stats={stats}
          part={({ waitlist }) =>
            waitlist && waitlist.days.map(({ day, approvals: amount }) => ({ day, amount }))
          }
          empty="No approvals in the last 30 days."
          one="approval"
          many="approvals"
        />
        <DaysPanel
          title="Credits spent"
          stats={stats}
          part={({ credits }) =>
            credits && credits.days.map(({ day, spent: amount }) => ({ day, amount }))
          }
          empty="No credits spent in the last 30 days."
          one="credit"
          many="credits"
          format={twoDecimals}
        />
        <DaysPanel
          title="Downloads"
          stats={stats}
          part={({ downloads }) =>
            downloads && downloads.days.map(({ day, total: amount }) => ({ day, amount }))
          }
          empty="No downloads in the last 30 days."
          one="download"
          many="downloads"
        />
        <Panel
          title="Invitations"
          stats={stats}
          part={({ waitlist, downloads }) =>
            waitlist && { ...waitlist.invitations, downloads: downloads && totalOf(downloads.days) }
          }
          empty="Nobody was approved in the last 30 days."
          isEmpty={({ approved }) => approved === 0}
        >
          {({ approved, opened, signed_in, reminded, expired, downloads }) => (
            <>
              <RankedBars
                label="Invitations"
                format={whole}
                rows={[
                  { name: 'Approved', value: approved },
                  { name: 'Opened the link', value: opened },
                  { name: 'Signed in', value: signed_in },
                  ...(reminded ? [{ name: 'Reminded', value: reminded }] : []),
                  ...(expired ? [{ name: 'Expired', value: expired }] : []),
                ]}
              />
              {downloads !== null && (
                <p className={styles.ending}>
                  {whole(downloads)} {downloads === 1 ? 'download' : 'downloads'} in these days, by
                  whomever: downloads are not tied to people
                </p>
              )}
            </>
          )}
        </Panel>
      </Group>
      <Group period="Now, and in total">
        <Panel
          title="Open tickets by priority"
          stats={stats}
          part={({ tickets }) => tickets}
          empty="No open tickets."
          isEmpty={(tickets) => openTickets(tickets) === 0}
        >
          {({ open }) => (
            <RankedBars label="Open tickets by priority" format={whole} rows={byPriority(open)} />
          )}
        </Panel>
        <Panel
          title="Open tickets by age"
          stats={stats}
          part={({ tickets }) => tickets}
          empty="No open tickets."
          isEmpty={(tickets) => openTickets(tickets) === 0}
        >
          {({ backlog }) => (
            <RankedBars label="Open tickets by age" format={whole} rows={byAge(backlog)} />
          )}
        </Panel>
        <Panel
          title="Open tickets by category"
          stats={stats}
          part={({ tickets }) => tickets}
          empty="No open tickets."
          isEmpty={(tickets) => openTickets(tickets) === 0}
        >
          {({ backlog }) => (
            <RankedBars
              label="Open tickets by category"
              format={whole}
              rows={backlog.map(({ category, day, week, older }) => ({
                name: titled(category),
                value: day + week + older,
              }))}
            />
          )}
        </Panel>
        <Panel
          title="Response times"
          stats={stats}
          part={({ tickets }) => tickets}
          empty="No ticket was answered in the last 30 days."
          isEmpty={({ first_answer_seconds, resolve_seconds }) =>
            first_answer_seconds === null && resolve_seconds === null
          }
        >
          {({ first_answer_seconds, resolve_seconds }) => (
            <>
              <p>First response: {duration(first_answer_seconds)}</p>
              <p>Until resolved: {duration(resolve_seconds)}</p>
              <p className={styles.ending}>Half took longer, in the last 30 days</p>
            </>
          )}
        </Panel>
        <WeeksPanel
          title="First response by week"
          stats={stats}
          part={({ tickets }) => tickets && tickets.first_answer_weeks}
          empty="No ticket of the last 12 weeks was answered."
        />
        <WeeksPanel
          title="Time to resolve by week"
          stats={stats}
          part={({ tickets }) => tickets && tickets.resolve_weeks}
          empty="No ticket was resolved in the last 12 weeks."
        />
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
