'use client'

import { formatCalendarDay, formatLocalDay } from '@/lib/dates'
import { useHydrated } from '@/lib/use-hydrated'

/** The day `date` (YYYY-MM-DD): in English when exported, then in the visitor's own format. */
export function LocalDate({ date }: { date: string }) {
  const hydrated = useHydrated()
  return <time dateTime={date}>{hydrated ? formatLocalDay(date) : formatCalendarDay(date)}</time>
}
