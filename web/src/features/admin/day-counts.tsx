import { DayChart, type DayAmount } from '@/components/app/charts/day-chart'
import { whole } from '@/lib/numbers'
import styles from './day-counts.module.css'

interface DayCountsProps {
  /** Oldest first, every day present. */
  days: readonly DayAmount[]
  /** What is counted, as the head of a column; then one of it and many, as in a sentence. */
  unit: string
  one: string
  many: string
  format?: (amount: number) => string
}

/** The sum of the days in a sentence, such as '1,204 sign-ups in 30 days', and each of them in a chart. */
export function DayCounts(props: DayCountsProps) {
  const { days, unit, one, many, format = whole } = props
  const total = days.reduce((sum, { amount }) => sum + amount, 0)
  const summary = `${format(total)} ${total === 1 ? one : many} in ${days.length} days`
  return (
    <>
      <p className={styles.sum}>{summary}</p>
      <DayChart
        days={days}
        summary={summary}
        unit={unit}
        caption={`${unit} by day`}
        format={format}
      />
    </>
  )
}
