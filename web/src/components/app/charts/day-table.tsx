import { useState } from 'react'
import { formatChartDay } from '@/lib/dates'
import type { DayAmount } from './day-chart'
import styles from './day-table.module.css'

interface DayTableProps {
  days: readonly DayAmount[]
  caption: string
  unit: string
  format: (amount: number) => string
}

/** A chart's numbers, written when they are first asked for; days without any are left out. */
export function DayTable({ days, caption, unit, format }: DayTableProps) {
  const [opened, setOpened] = useState(false)
  return (
    <details className={styles.details} onToggle={() => setOpened(true)}>
      <summary className={styles.summary}>Show as a table</summary>
      {opened && (
        <table className={styles.table}>
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
        </table>
      )}
    </details>
  )
}
