import { clock24, shortDay } from './english/dates'

/** A moment as 'MMM d, yyyy HH:mm' in the visitor's time zone, such as 'Aug 7, 2025 09:05'. */
export function formatDateTime(iso: string): string {
  const moment = Date.parse(iso)
  if (Number.isNaN(moment)) return 'Unknown date'
  return `${shortDay(moment)} ${clock24(moment)}`
}
