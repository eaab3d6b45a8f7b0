const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', year: 'numeric' })
const time = new Intl.DateTimeFormat('en-US', {
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

/** A moment as 'MMM d, yyyy HH:mm' in the visitor's time zone (spec section 9), such as 'Aug 7, 2025 09:05'. */
export function formatDateTime(iso: string): string {
  const moment = Date.parse(iso)
  if (Number.isNaN(moment)) return 'Unknown date'
  return `${day.format(moment)} ${time.format(moment)}`
}
