// Days are counted in UTC, and are named so.
const short = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** A counted day such as 'Dec 3', from '2026-12-03'. */
export function formatChartDay(date: string): string {
  const time = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(time) ? date : short.format(time)
}
