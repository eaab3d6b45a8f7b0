const UNITS = ['Bytes', 'KB', 'MB', 'GB'] as const

/** A file size in Bytes, KB, MB or GB at 1024 steps, rounded to 2 decimals (spec section 2). */
export function formatBytes(bytes: number): string {
  if (!(bytes >= 1)) return '0 Bytes'
  const step = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  return `${Number((bytes / 1024 ** step).toFixed(2))} ${UNITS[step]}`
}

const day = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium' })
const moment = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short' })
const count = new Intl.NumberFormat('en-US')

function format(formatter: Intl.DateTimeFormat, iso: string | null, absent: string): string {
  const time = iso === null ? Number.NaN : Date.parse(iso)
  return Number.isNaN(time) ? absent : formatter.format(time)
}

/** A day in the visitor's time zone, such as 'Aug 27, 2025'. */
export function formatDay(iso: string | null): string {
  return format(day, iso, 'Unknown date')
}

/** A day with its time, such as 'Aug 27, 2025, 9:05 AM'; 'Never' without one. */
export function formatMoment(iso: string | null): string {
  return format(moment, iso, 'Never')
}

/** A count with thousands separators. */
export function formatCount(value: number): string {
  return count.format(value)
}
