import { clock, shortDay } from '@/lib/english/dates'

const UNITS = ['Bytes', 'KB', 'MB', 'GB'] as const

/** A file size in Bytes, KB, MB or GB at 1024 steps, rounded to 2 decimals. */
export function formatBytes(bytes: number): string {
  if (!(bytes >= 1)) return '0 Bytes'
  const step = Math.min(Math.floor(Math.log2(bytes) / 10), UNITS.length - 1)
  return `${Number((bytes / 1024 ** step).toFixed(2))} ${UNITS[step]}`
}

function format(write: (time: number) => string, iso: string | null, absent: string): string {
  const time = iso === null ? Number.NaN : Date.parse(iso)
  return Number.isNaN(time) ? absent : write(time)
}

/** A day in the visitor's time zone, such as 'Aug 27, 2025'. */
export function formatDay(iso: string | null): string {
  return format(shortDay, iso, 'Unknown date')
}

/** A day with its time, such as 'Aug 27, 2025, 9:05 AM'; 'Never' without one. */
export function formatMoment(iso: string | null): string {
  return format((time) => `${shortDay(time)}, ${clock(time)}`, iso, 'Never')
}
