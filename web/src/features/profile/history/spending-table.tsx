import { chakra } from '@chakra-ui/react'
import type { CreditHistory } from '@/lib/api/types'
import { formatCredits, formatDay } from './history-format'

/** The chart's numbers; days without any are left out. */
export function SpendingTable({ days }: { days: Readonly<CreditHistory['days']> }) {
  const spent = days.filter(({ amount }) => amount > 0)
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
        <caption className="visually-hidden">Credits spent by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Credits</th>
          </tr>
        </thead>
        <tbody>
          {spent.map(({ day, amount }) => (
            <tr key={day}>
              <th scope="row">
                <time dateTime={day}>{formatDay(day)}</time>
              </th>
              <td>{formatCredits(amount)}</td>
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
