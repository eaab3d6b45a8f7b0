import { clock, fullDay, shortDay } from '@/lib/english/dates'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const times = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'} ago`

/** How long before `now` the moment was, such as '5 minutes ago'; a date when it is long ago. */
export function ago(iso: string, now: number): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return 'at an unknown time'
  const passed = Math.max(0, now - time)
  if (passed < MINUTE) return 'just now'
  if (passed < HOUR) return times(Math.floor(passed / MINUTE), 'minute')
  if (passed < DAY) return times(Math.floor(passed / HOUR), 'hour')
  if (passed < 2 * DAY) return 'yesterday'
  if (passed < 30 * DAY) return times(Math.floor(passed / DAY), 'day')
  return `on ${shortDay(time)}`
}

/** The moment in full, in the visitor's time zone. */
export function exactly(iso: string): string {
  const time = Date.parse(iso)
  return Number.isNaN(time) ? 'Unknown time' : `${fullDay(time)} at ${clock(time)}`
}
