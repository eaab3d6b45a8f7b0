import type { AdminStats } from '@/lib/api/types'
import { twoDecimals, whole } from '@/lib/numbers'

/** A number whose service is down. */
const ABSENT = '–'

/** How many tickets wait, of whatever priority. */
export const openTickets = ({ open }: NonNullable<AdminStats['tickets']>): number =>
  open.urgent + open.high + open.medium + open.low

const headlines: [name: string, value: (stats: AdminStats) => string | null][] = [
  ['Waiting for approval', ({ waitlist }) => waitlist && whole(waitlist.pending)],
  ['Open tickets', ({ tickets }) => tickets && whole(openTickets(tickets))],
  ['Active subscriptions', ({ subscriptions: s }) => s && whole(s.active)],
  ['Credits spent, 30 days', ({ credits: c }) => c && twoDecimals(c.spent)],
  ['Downloads, all time', ({ downloads }) => downloads && whole(downloads.total)],
]

/** The first row's numbers, by name; without statistics yet they have no value. */
export function headline(stats?: AdminStats): { name: string; value?: string }[] {
  return headlines.map(([name, value]) => ({ name, value: stats && (value(stats) ?? ABSENT) }))
}
