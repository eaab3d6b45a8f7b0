import type { DayAmount } from '@/components/app/charts/day-chart'
import type { VersionUsage } from '@/lib/api/types'
import { upToTwoDecimals } from '@/lib/numbers'

type Share = VersionUsage['archs'][number]

/** What apps do not say, or what is not known. */
export const OTHER = 'other'

/** A part of 1 in words, such as '12.5%'. */
export const percent = (part: number) => `${upToTwoDecimals(Math.round(part * 1000) / 10)}%`

export const sumOf = (shares: readonly Share[]) => shares.reduce((sum, { total }) => sum + total, 0)

/** Checks by version of all days together, most first. */
export function versionsOf({ days }: VersionUsage): Share[] {
  const totals = new Map<string, number>()
  for (const { versions } of days) {
    for (const { name, total } of versions) totals.set(name, (totals.get(name) ?? 0) + total)
  }
  return [...totals].map(([name, total]) => ({ name, total })).sort((a, b) => b.total - a.total)
}

/** A version's part of each day's checks, and of all of them. */
export function shareOfDays({ days }: VersionUsage, version: string) {
  let [its, all] = [0, 0]
  const shares: DayAmount[] = days.map(({ day, versions }) => {
    const ofAll = sumOf(versions)
    const own = versions.find(({ name }) => name === version)?.total ?? 0
    its += own
    all += ofAll
    return { day, amount: ofAll && own / ofAll }
  })
  return { days: shares, share: all && its / all }
}
