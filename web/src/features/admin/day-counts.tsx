import { Text } from '@chakra-ui/react'
import { DayChart, type DayAmount } from '@/components/app/charts/day-chart'
import { formatCount } from './format'

interface DayCountsProps {
  /** Oldest first, every day present. */
  days: readonly DayAmount[]
  /** What is counted, as the head of a column; then one of it and many, as in a sentence. */
  unit: string
  one: string
  many: string
}

/** How many of something there were: the sum in a sentence, such as '1,204 sign-ups in 30 days', and the days as a chart. */
export function DayCounts({ days, unit, one, many }: DayCountsProps) {
  const total = days.reduce((sum, { amount }) => sum + amount, 0)
  const summary = `${formatCount(total)} ${total === 1 ? one : many} in ${days.length} days`
  return (
    <>
      <Text color="muted" fontSize="sm">
        {summary}
      </Text>
      <DayChart
        days={days}
        summary={summary}
        unit={unit}
        caption={`${unit} by day`}
        format={formatCount}
      />
    </>
  )
}
