import { Box, chakra, Flex, Heading } from '@chakra-ui/react'
import type { CreditHistory } from '@/lib/api/types'
import { SpendingTable } from './spending-table'
import { formatCredits, formatDay } from './history-format'

type Day = CreditHistory['days'][number]

const HEIGHT = 100
/** A day's width in the drawing, and how much of it is the bar. */
const STEP = 10
const BAR = 7
/** The least that can be seen. */
const MIN = 2

/** What was spent on each of the last 30 days: a bar a day, the highest and both ends named. */
export function SpendingChart({ days }: { days: readonly Day[] }) {
  const total = days.reduce((sum, { amount }) => sum + amount, 0)
  const most = days.reduce((max, { amount }) => Math.max(max, amount), 0)
  const peak = days.findIndex(({ amount }) => amount === most)
  const [first, last] = [days[0], days.at(-1)]
  const summary = `${formatCredits(total)} credits spent in ${days.length} days`

  return (
    <Box>
      <Heading as="h3" fontSize="md" fontWeight={600}>
        {summary}
      </Heading>
      {total > 0 && first && last && (
        <>
          <Box position="relative" height="1.25rem" mt="3" fontSize="xs" aria-hidden>
            <PeakLabel style={labelStyle(peak, days.length)}>
              {formatCredits(most)} on {formatDay(days[peak]!.day)}
            </PeakLabel>
          </Box>
          <chakra.svg
            viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
            preserveAspectRatio="none"
            width="100%"
            height="7.5rem"
            mt="1"
            borderBottom="1px solid {colors.line-strong}"
            role="img"
            aria-label={`${summary}, most on ${formatDay(days[peak]!.day)}: ${formatCredits(most)}`}
          >
            {days.map(({ day, amount }, index) => (
              <Bar
                key={day}
                data-peak={index === peak || undefined}
                {...barOf(amount, most, index)}
              >
                <title>{`${formatDay(day)}: ${formatCredits(amount)}`}</title>
              </Bar>
            ))}
          </chakra.svg>
          <Flex justify="space-between" mt="1" color="quiet" fontSize="xs" aria-hidden>
            <span>{formatDay(first.day)}</span>
            <span>{formatDay(last.day)}</span>
          </Flex>
          <SpendingTable days={days} />
        </>
      )}
    </Box>
  )
}

function barOf(amount: number, most: number, index: number) {
  const height = amount > 0 ? Math.max(MIN, (amount / most) * HEIGHT) : 0
  return { x: index * STEP + (STEP - BAR) / 2, y: HEIGHT - height, width: BAR, height }
}

/** Above its bar, but never past an end of the chart. */
function labelStyle(index: number, count: number) {
  const middle = ((index + 0.5) / count) * 100
  return middle > 50
    ? { right: `max(0%, ${100 - middle}% - 1.5rem)` }
    : { left: `max(0%, ${middle}% - 1.5rem)` }
}

const PeakLabel = chakra('span', {
  base: { position: 'absolute', whiteSpace: 'nowrap', color: 'muted', fontWeight: 600 },
})

const Bar = chakra('rect', {
  base: { fill: 'line-strong', '&[data-peak]': { fill: 'ember-live' } },
})
