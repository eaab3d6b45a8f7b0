import { chakra } from '@chakra-ui/react'
import { formatChartDay } from '@/lib/format-chart-day'
import type { DayAmount } from './day-chart'

interface DayTableProps {
  days: readonly DayAmount[]
  caption: string
  unit: string
  format: (amount: number) => string
}

/** A chart's numbers; days without any are left out. */
export function DayTable({ days, caption, unit, format }: DayTableProps) {
  return (
    <chakra.details mt="3" fontSize="sm">
      <chakra.summary
        display="inline-flex"
        alignItems="center"
        minH="2rem"
        color="muted"
        cursor="pointer"
        textDecoration="underline"
        textDecorationColor="line-strong"
      >
        Show as a table
      </chakra.summary>
      <Table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">{unit}</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ amount }) => amount > 0)
            .map(({ day, amount }) => (
              <tr key={day}>
                <th scope="row">
                  <time dateTime={day}>{formatChartDay(day)}</time>
                </th>
                <td>{format(amount)}</td>
              </tr>
            ))}
        </tbody>
      </Table>
    </chakra.details>
  )
}

const Table = chakra('table', {
  base: {
    width: 'min(20rem, 100%)',
    mt: '2',
    borderCollapse: 'collapse',
    fontVariantNumeric: 'tabular-nums',
    '& th, & td': { py: '1', borderBottom: '1px solid {colors.line}', fontWeight: 400 },
    '& th': { textAlign: 'start' },
    '& td, & th:nth-of-type(2)': { textAlign: 'end' },
    '& thead th': { color: 'quiet', fontSize: 'xs' },
  },
})
