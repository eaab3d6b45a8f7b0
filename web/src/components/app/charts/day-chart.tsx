import { formatChartDay } from '@/lib/dates'
import styles from './day-chart.module.css'
import { type DayColumn, DayTable } from './day-table'

/** What a day came to. */
export interface DayAmount {
  /** Such as '2026-12-03', in UTC. */
  day: string
  amount: number
  /** As much of the amount is drawn apart, at the foot of its bar. */
  part?: number
}

interface DayChartProps<Day extends DayAmount> {
  /** Oldest first, every day present. */
  days: readonly Day[]
  /** What the bars add up to, in a sentence for those who do not see them. */
  summary: string
  /** What an amount counts, as the head of the table's column. */
  unit: string
  /** What the table is called. */
  caption: string
  format: (amount: number) => string
  /** When a day is, as in a sentence; 'on Dec 3' unless told. */
  when?: (day: string) => string
  /** The head of the table's days. */
  dayName?: string
  /** The table's columns, if not the amount alone. */
  columns?: readonly DayColumn<Day>[]
}

const onDay = (day: string) => `on ${formatChartDay(day)}`

const HEIGHT = 100
/** A day's width in the drawing, and how much of it is the bar. */
const STEP = 10
const BAR = 7
/** The least that can be seen. */
const MIN = 2

/** A bar a day, the highest and both ends named, and the same as a table. Nothing when all are zero. */
export function DayChart<Day extends DayAmount>(props: DayChartProps<Day>) {
  const { days, summary, unit, caption, format, when = onDay, dayName = 'Day' } = props
  const columns = props.columns ?? [{ name: unit, cell: ({ amount }) => format(amount) }]
  const most = days.reduce((max, { amount }) => Math.max(max, amount), 0)
  const peak = days.findIndex(({ amount }) => amount === most)
  const [first, last, highest] = [days[0], days.at(-1), days[peak]]
  if (most === 0 || !first || !last || !highest) return null
  const peakText = `${format(most)} ${when(highest.day)}`

  return (
    <div>
      <div className={styles.peakLine} aria-hidden>
        <span className={styles.peakLabel} style={labelStyle(peak, days.length)}>
          {peakText}
        </span>
      </div>
      <svg
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        preserveAspectRatio="none"
        className={styles.bars}
        role="img"
        aria-label={`${summary}, most ${when(highest.day)}: ${format(most)}`}
      >
        {days.map(
          ({ day, amount, part }, index) =>
            amount > 0 && (
              <g key={day}>
                <title>{`${formatChartDay(day)}: ${format(amount)}`}</title>
                <rect
                  className={index === peak ? styles.peak : undefined}
                  {...barOf(amount, most, index)}
                />
                {part !== undefined && (
                  <rect className={styles.part} {...barOf(part, most, index)} />
                )}
              </g>
            ),
        )}
      </svg>
      <div className={styles.ends} aria-hidden>
        <span>{formatChartDay(first.day)}</span>
        <span>{formatChartDay(last.day)}</span>
      </div>
      <DayTable days={days} caption={caption} dayName={dayName} columns={columns} />
    </div>
  )
}

function barOf(amount: number, most: number, index: number) {
  const height = Math.max(MIN, (amount / most) * HEIGHT)
  return { x: index * STEP + (STEP - BAR) / 2, y: HEIGHT - height, width: BAR, height }
}

/** Above its bar, but never past an end of the chart. */
function labelStyle(index: number, count: number) {
  const middle = ((index + 0.5) / count) * 100
  return middle > 50
    ? { right: `max(0%, ${100 - middle}% - 1.5rem)` }
    : { left: `max(0%, ${middle}% - 1.5rem)` }
}
