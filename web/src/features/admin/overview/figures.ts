import type { AdminStats } from '@/lib/api/types'
import { ABSENT, twoDecimals, whole } from '@/lib/numbers'

/** How many tickets wait, of whatever priority, those that are not known here among them. */
export const openTickets = ({ open }: NonNullable<AdminStats['tickets']>): number =>
  Object.values(open).reduce((sum, count) => sum + count, 0)

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** A median in words, such as '3 h'; nothing was measured without one. */
export function duration(seconds: number | null): string {
  if (seconds === null) return ABSENT
  if (seconds < HOUR) return `${whole(Math.ceil(seconds / MINUTE))} min`
  if (seconds < 2 * DAY) return `${whole(Math.round(seconds / HOUR))} h`
  return `${whole(Math.round(seconds / DAY))} days`
}

/** A number of the statistics in words, if there is one: not while its service is down. */
export type Figure = (stats: AdminStats) => string | null | undefined

/** The numbers of the first row. */
export const headlines: readonly (readonly [name: string, value: Figure])[] = [
  ['Waiting for approval', ({ waitlist }) => waitlist && whole(waitlist.pending)],
  ['Open tickets', ({ tickets }) => tickets && whole(openTickets(tickets))],
  ['Active subscriptions', ({ subscriptions: s }) => s && whole(s.active)],
  ['Credits spent, 30 days', ({ credits: c }) => c && twoDecimals(c.spent)],
  ['Downloads, all time', ({ downloads }) => downloads && whole(downloads.total)],
]
