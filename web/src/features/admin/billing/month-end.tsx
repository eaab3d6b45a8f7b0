import { useState } from 'react'
import { Select } from '@/components/app/field'
import { ExportButton } from '@/features/session/export-button'
import { formatMonth } from '@/lib/dates'
import { useStaffDraft } from '../use-staff-draft'
import styles from './billing-view.module.css'

/** As many months as can be chosen. */
const MONTHS = 24

/** The months until now in UTC, such as '2026-10', the newest first. */
function monthsUntil(now: Date): { value: string; label: string }[] {
  return Array.from({ length: MONTHS }, (_, n) => {
    const first = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 1))
    const value = first.toISOString().slice(0, 7)
    return { value, label: formatMonth(value) }
  })
}

/** Saves a month for the books. */
export function MonthEnd() {
  const [months] = useState(() => monthsUntil(new Date()))
  // Saving it may lead through a sign-in.
  const [chosen, setChosen] = useStaffDraft('month-end')
  const month = months.some(({ value }) => value === chosen) ? chosen : (months[1]?.value ?? '')
  return (
    <>
      <p className={styles.quiet}>
        What was invoiced, paid, refunded and disputed in a month in UTC, by plan and currency, and
        what credits did.
      </p>
      <div className={styles.actions}>
        <Select
          aria-label="Month"
          className={styles.month}
          value={month}
          onChange={(event) => setChosen(event.target.value)}
        >
          {months.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <ExportButton
          what="the month"
          hint="The sums of the month, as a CSV file"
          route="export-month-end"
          params={{ month }}
          fallbackName={`month-end-${month}.csv`}
          size="md"
        />
      </div>
    </>
  )
}
