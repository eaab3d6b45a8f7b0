'use client'

import { englishDate, localDate } from '@/lib/format-date'
import { useHydrated } from '@/lib/use-hydrated'

/** The day `date` (YYYY-MM-DD): in English when exported, then in the visitor's own format. */
export function LocalDate({ date }: { date: string }) {
  const hydrated = useHydrated()
  return <time dateTime={date}>{hydrated ? localDate(date) : englishDate(date)}</time>
}
