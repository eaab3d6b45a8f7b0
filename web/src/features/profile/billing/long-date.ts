import { longDay } from '@/lib/english/dates'

/** A day in the visitor's time zone, such as 'December 21, 2026'; 'Unknown date' without one. */
export function longDate(iso: string | null | undefined): string {
  const time = iso ? Date.parse(iso) : Number.NaN
  return Number.isNaN(time) ? 'Unknown date' : longDay(time)
}
