import { monthName } from './english/dates'

/** A date such as 2025-09-03 in US English: September 3, 2025. */
export function englishDate(date: string): string {
  const [year, month, day] = date.split('-').map(Number)
  return `${monthName(month! - 1)} ${day}, ${year}`
}

/** The same in the visitor's own format. */
export function localDate(date: string): string {
  // A phone takes a tenth of a second for its first date by `Intl`.
  if (navigator.language === 'en-US') return englishDate(date)
  // Noon: a date without a time must not slip into the day before west of Greenwich.
  return new Date(`${date}T12:00:00`).toLocaleDateString(undefined, { dateStyle: 'long' })
}
