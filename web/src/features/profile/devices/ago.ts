const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const relative = new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })
const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat('en-US', { dateStyle: 'full', timeStyle: 'short' })

/** How long before `now` the moment was, such as '5 minutes ago'; a date when it is long ago. */
export function ago(iso: string, now: number): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return 'at an unknown time'
  const passed = Math.max(0, now - time)
  if (passed < MINUTE) return 'just now'
  if (passed < HOUR) return relative.format(-Math.floor(passed / MINUTE), 'minute')
  if (passed < DAY) return relative.format(-Math.floor(passed / HOUR), 'hour')
  if (passed < 30 * DAY) return relative.format(-Math.floor(passed / DAY), 'day')
  return `on ${day.format(time)}`
}

/** The moment in full, in the visitor's time zone. */
export function exactly(iso: string): string {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? 'Unknown time' : moment.format(time)
}
