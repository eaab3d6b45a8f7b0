/** An article's date in the visitor's own format; on the server, in US English. */
export function formatDate(date: string, locale?: string): string {
  // Noon: a date without a time must not slip into the day before west of Greenwich.
  return new Date(`${date}T12:00:00`).toLocaleDateString(locale, {
    year: 'numeric',
    month: 'long',
    day: 'numeric',
  })
}
