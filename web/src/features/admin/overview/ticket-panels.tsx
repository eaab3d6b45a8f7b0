import { Button } from '@/components/button'
import { RankedBars } from '@/components/app/charts/ranked-bars'
import { ticketPriorities } from '@/components/app/tickets/words'
import { saveFile } from '@/lib/api/download'
import type { AdminStats, TicketWeek } from '@/lib/api/types'
import { whole } from '@/lib/numbers'
import { titled } from '@/lib/words'
import { csvBlob } from './csv'
import { duration, openTickets } from './figures'
import { Panel } from './panel'
import styles from './panels.module.css'
import { WeeklyTimes } from './weekly-times'

/** The most pressing first, those that are not known here last. */
function byPriority(open: Readonly<Record<string, number>>) {
  const names = new Set<string>([...ticketPriorities, ...Object.keys(open)])
  return [...names].map((name) => ({ name: titled(name), value: open[name] ?? 0 }))
}

type Backlog = NonNullable<AdminStats['tickets']>['backlog']

function csvOf(backlog: Backlog): Blob {
  const rows = backlog.map(({ category, day, week, older }) => [category, day, week, older])
  return csvBlob(['category', 'up_to_a_day', 'up_to_a_week', 'older'], rows)
}

function byAge(backlog: Backlog) {
  const sum = (age: 'day' | 'week' | 'older') =>
    backlog.reduce((total, counts) => total + counts[age], 0)
  return [
    { name: 'Up to a day', value: sum('day') },
    { name: 'Up to a week', value: sum('week') },
    { name: 'Older', value: sum('older') },
  ]
}

interface WeeksPanelProps {
  title: string
  stats: AdminStats
  part: (stats: AdminStats) => TicketWeek[] | null | undefined
  empty: string
}

function WeeksPanel(panel: WeeksPanelProps) {
  return (
    <Panel {...panel} isEmpty={(weeks) => weeks.length === 0}>
      {(weeks) => <WeeklyTimes title={panel.title} weeks={weeks} />}
    </Panel>
  )
}

/** A card for each statistic of the tickets. */
export function TicketPanels({ stats }: { stats: AdminStats }) {
  return (
    <>
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
          <>
            <RankedBars
              label="Open tickets by category"
              format={whole}
              rows={backlog.map(({ category, day, week, older }) => ({
                name: titled(category),
                value: day + week + older,
              }))}
            />
            <Button
              variant="secondary"
              size="dense"
              data-event="export_backlog"
              aria-label="Export CSV: Open tickets by category and age"
              onClick={() => saveFile({ name: 'open-tickets.csv', content: csvOf(backlog) })}
            >
              Export CSV
            </Button>
          </>
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
        part={({ tickets }) => tickets?.first_answer_weeks}
        empty="No ticket of the last 12 weeks was answered."
      />
      <WeeksPanel
        title="Time to resolve by week"
        stats={stats}
        part={({ tickets }) => tickets?.resolve_weeks}
        empty="No ticket was resolved in the last 12 weeks."
      />
    </>
  )
}
