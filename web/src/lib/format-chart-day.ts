import { shortMonthName } from './english/dates'

/** A counted day such as 'Dec 3', from '2026-12-03'. */
export function formatChartDay(date: string): string {
  // Days are counted in UTC, and are named so.
  const day = new Date(`${date}T00:00:00Z`)
  const valid = !Number.isNaN(day.getTime())
  return valid ? `${shortMonthName(day.getUTCMonth())} ${day.getUTCDate()}` : date
}
