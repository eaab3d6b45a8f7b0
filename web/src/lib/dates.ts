/**
 * Every date of the site, in US English. Moments are ISO 8601 and written in the visitor's time zone, with
 * two exceptions that say so: what is billed or counted by day is written in UTC.
 */
const UNKNOWN = 'Unknown date'

/** Memoizes a formatter, created at its first use: creating one costs more than using it. */
function formatter(options: Intl.DateTimeFormatOptions): (time: number) => string {
  let made: Intl.DateTimeFormat | undefined
  return (time) => (made ??= new Intl.DateTimeFormat('en-US', options)).format(time)
}

const mediumDay = formatter({ dateStyle: 'medium' })
const time24 = formatter({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })
const fullMoment = formatter({ dateStyle: 'full', timeStyle: 'short' })
const longDayUtc = formatter({ dateStyle: 'long', timeZone: 'UTC' })
const monthUtc = formatter({ month: 'long', year: 'numeric', timeZone: 'UTC' })
const chartDayUtc = formatter({ month: 'short', day: 'numeric', timeZone: 'UTC' })

type Moment = string | null | undefined

function written(moment: Moment, write: (time: number) => string, absent: string): string {
  const time = moment ? Date.parse(moment) : Number.NaN
  return Number.isNaN(time) ? absent : write(time)
}

/** Such as 'Aug 7, 2025'. */
export function formatDay(moment: Moment): string {
  return written(moment, mediumDay, UNKNOWN)
}

/** 'MMM d, yyyy HH:mm', such as 'Aug 7, 2025 09:05'. */
export function formatDateTime(moment: Moment, absent = UNKNOWN): string {
  return written(moment, (time) => `${mediumDay(time)} ${time24(time)}`, absent)
}

/** Such as 'Friday, November 21, 2025 at 9:05 PM'. */
export function formatFullDateTime(moment: Moment): string {
  return written(moment, fullMoment, UNKNOWN)
}

/** Such as 'December 21, 2026', in UTC: the day that Stripe's mails and invoices name. */
export function formatBillingDay(moment: Moment): string {
  return written(moment, longDayUtc, UNKNOWN)
}

/** A day without a time, such as '2025-09-03', as 'September 3, 2025'. */
export function formatCalendarDay(day: string): string {
  return written(day, longDayUtc, UNKNOWN)
}

/** The same in the visitor's own language and form. */
export function formatLocalDay(day: string): string {
  const options = { dateStyle: 'long', timeZone: 'UTC' } as const
  try {
    const format = new Intl.DateTimeFormat(navigator.language, options)
    return written(day, (time) => format.format(time), UNKNOWN)
  } catch {
    // Such as `en-US@posix`, which is no language tag.
    return formatCalendarDay(day)
  }
}

/** A month in UTC, such as '2026-10', as 'October 2026'. */
export function formatMonth(month: string): string {
  return written(month, monthUtc, UNKNOWN)
}

/** A counted day, such as '2026-12-03', as 'Dec 3': days are counted in UTC. What is no day stays as it is. */
export function formatChartDay(day: string): string {
  return written(day, chartDayUtc, day)
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let relative: Intl.RelativeTimeFormat | undefined

/** Memoized as the others are. */
function ago(count: number, unit: Intl.RelativeTimeFormatUnit): string {
  relative ??= new Intl.RelativeTimeFormat('en-US', { numeric: 'auto' })
  return relative.format(-Math.floor(count), unit)
}

/** How long before `now`, in milliseconds, a moment was, such as '5 minutes ago'; after 30 days its date. */
export function formatTimeAgo(moment: Moment, now: number): string {
  return written(
    moment,
    (time) => {
      const passed = Math.max(0, now - time)
      if (passed < MINUTE) return 'just now'
      if (passed < HOUR) return ago(passed / MINUTE, 'minute')
      if (passed < DAY) return ago(passed / HOUR, 'hour')
      if (passed < 30 * DAY) return ago(passed / DAY, 'day')
      return `on ${mediumDay(time)}`
    },
    'at an unknown time',
  )
}
