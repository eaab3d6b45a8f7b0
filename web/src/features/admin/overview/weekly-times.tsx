import { useState } from 'react'
import { DayChart } from '@/components/app/charts/day-chart'
import { Select } from '@/components/app/field'
import { ticketCategories } from '@/components/app/tickets/words'
import { Button } from '@/components/button'
import { saveFile } from '@/lib/api/download'
import type { TicketWeek } from '@/lib/api/types'
import { formatChartDay } from '@/lib/dates'
import { whole } from '@/lib/numbers'
import { titled } from '@/lib/words'
import { csvBlob } from './csv'
import { duration } from './figures'
import styles from './panels.module.css'

interface WeeklyTimesProps {
  title: string
  /** Oldest first, those without tickets left out. */
  weeks: readonly TicketWeek[]
}

interface Bar {
  day: string
  tickets: number
  amount: number
  part: number
}

const WEEK = 7 * 24 * 3_600_000
const ALL = 'All categories'

const inWeek = (day: string) => `in the week of ${formatChartDay(day)}`

const columns = [
  { name: 'Tickets', cell: ({ tickets }: Bar) => whole(tickets) },
  { name: 'Half within', cell: ({ part }: Bar) => duration(part) },
  { name: '9 of 10 within', cell: ({ amount }: Bar) => duration(amount) },
]

/** The weeks of a category, and between the first and the last of all also those without tickets. */
function barsOf(weeks: readonly TicketWeek[], category: string | null): Bar[] {
  const [first, last] = [weeks[0], weeks.at(-1)]
  if (!first || !last) return []
  const count = (Date.parse(last.week) - Date.parse(first.week)) / WEEK + 1
  return Array.from({ length: count }, (_, n) => {
    const day = new Date(Date.parse(first.week) + n * WEEK).toISOString().slice(0, 10)
    const of = weeks.find((week) => week.week === day && week.category === category)
    // No time at all is still a bar.
    const amount = of ? Math.max(1, of.p90_seconds) : 0
    return { day, tickets: of?.tickets ?? 0, amount, part: of?.p50_seconds ?? 0 }
  })
}

/** All weeks and categories; `all` has all categories together. */
function csvOf(weeks: readonly TicketWeek[]): Blob {
  const rows = weeks.map((of) => [
    of.week,
    of.category ?? 'all',
    of.tickets,
    of.p50_seconds,
    of.p90_seconds,
  ])
  return csvBlob(['week', 'category', 'tickets', 'p50_seconds', 'p90_seconds'], rows)
}

/** How long the tickets of each week took, in all or of a category. */
export function WeeklyTimes({ title, weeks }: WeeklyTimesProps) {
  const [chosen, setChosen] = useState('')
  const known = ticketCategories.filter((name) => weeks.some(({ category }) => category === name))
  const category = known.find((name) => name === chosen) ?? null
  const name = category ? titled(category) : ALL
  const bars = barsOf(weeks, category)
  const total = bars.reduce((sum, { tickets }) => sum + tickets, 0)
  const summary = `${whole(total)} ${total === 1 ? 'ticket' : 'tickets'} in ${bars.length} ${bars.length === 1 ? 'week' : 'weeks'}`
  return (
    <>
      <Select
        className={styles.choice}
        aria-label={`Category: ${title}`}
        value={category ?? ''}
        onChange={({ target }) => setChosen(target.value)}
      >
        <option value="">{ALL}</option>
        {known.map((option) => (
          <option key={option} value={option}>
            {titled(option)}
          </option>
        ))}
      </Select>
      <p className={styles.ending}>{summary}</p>
      <DayChart
        days={bars}
        summary={`${title}, ${name}: ${summary}, nine of ten within the height of a bar`}
        unit={title}
        caption={`${title}, ${name}`}
        format={duration}
        when={inWeek}
        dayName="Week of"
        columns={columns}
      />
      <p className={styles.ending}>
        Nine of ten took at most as long as the bar is high, and five of ten as its lower part
      </p>
      <Button
        variant="secondary"
        size="dense"
        data-event="export_ticket_weeks"
        aria-label={`Export CSV: ${title}`}
        onClick={() =>
          saveFile({
            name: `${title.toLowerCase().replaceAll(' ', '-')}.csv`,
            content: csvOf(weeks),
          })
        }
      >
        Export CSV
      </Button>
    </>
  )
}
