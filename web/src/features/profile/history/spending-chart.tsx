import { Heading } from '@chakra-ui/react'
import { DayChart } from '@/components/app/charts/day-chart'
import type { CreditHistory } from '@/lib/api/types'
import { twoDecimals } from '@/lib/numbers'

/** What was spent on each of the last 30 days. */
export function SpendingChart({ days }: { days: CreditHistory['days'] }) {
  const total = days.reduce((sum, { amount }) => sum + amount, 0)
  const summary = `${twoDecimals(total)} credits spent in ${days.length} days`
  return (
    <>
      <Heading as="h3" fontSize="md" fontWeight={600}>
        {summary}
      </Heading>
      <DayChart
        days={days}
        summary={summary}
        unit="Credits"
        caption="Credits spent by day"
        format={twoDecimals}
      />
    </>
  )
}
