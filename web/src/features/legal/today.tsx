'use client'

import { formatCalendarDay } from '@/lib/dates'
import { useHydrated } from '@/lib/use-hydrated'

/** Today where the visitor is, as YYYY-MM-DD. */
function today(): string {
  const now = new Date()
  const pad = (value: number) => String(value).padStart(2, '0')
  return `${now.getFullYear()}-${pad(now.getMonth() + 1)}-${pad(now.getDate())}`
}

/** Today's date; without a script, the day of the build, which is `built` (YYYY-MM-DD). */
export function Today({ built }: { built: string }) {
  const date = useHydrated() ? today() : built
  return <time dateTime={date}>{formatCalendarDay(date)}</time>
}
