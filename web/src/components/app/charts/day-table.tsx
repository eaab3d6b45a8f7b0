import { useState } from 'react'
import { formatChartDay } from '@/lib/dates'
import type { DayAmount } from './day-chart'
import styles from './day-table.module.css'

export interface DayColumn<Day> {
  name: string
  cell: (day: Day) => string
}

interface DayTableProps<Day extends DayAmount> {
  days: readonly Day[]
  caption: string
  dayName: string
  columns: readonly DayColumn<Day>[]
}

/** A chart's numbers, written when they are first asked for; days without any are left out. */
export function DayTable<Day extends DayAmount>(props: DayTableProps<Day>) {
  const { days, caption, dayName, columns } = props
  const [opened, setOpened] = useState(false)
  return (
    <details className={styles.details} onToggle={() => setOpened(true)}>
      <summary className={styles.summary}>Show as a table</summary>
      {opened && (
        <table className={styles.table}>
          <caption className="visually-hidden">{caption}</caption>
          <thead>
            <tr>
              <th scope="col">{dayName}</th>
              {columns.map(({ name }) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days
              .filter(({ amount }) => amount > 0)
              .map((of) => (
                <tr key={of.day}>
                  <th scope="row">
                    <time dateTime={of.day}>{formatChartDay(of.day)}</time>
                  </th>
                  {columns.map(({ name, cell }) => (
                    <td key={name}>{cell(of)}</td>
                  ))}
                </tr>
              ))}
          </tbody>
        </table>
      )}
    </details>
  )
}
