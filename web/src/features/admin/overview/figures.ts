import type { AdminStats } from '@/lib/api/types'
import { formatCount } from '../format'

const credits = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
})

/** Credits with two decimals. */
export const formatCredits = (amount: number): string => credits.format(amount)

/** A number whose service is down. */
const ABSENT = '–'

/** How many tickets wait, of whatever priority. */
export const openTickets = ({ open }: NonNullable<AdminStats['tickets']>): number =>
  open.urgent + open.high + open.medium + open.low

const headlines: [name: string, value: (stats: AdminStats) => string | null][] = [
  ['Waiting for approval', ({ waitlist }) => waitlist && formatCount(waitlist.pending)],
  ['Open tickets', ({ tickets }) => tickets && formatCount(openTickets(tickets))],
  ['Active subscriptions', ({ subscriptions: s }) => s && formatCount(s.active)],
  ['Credits spent, 30 days', ({ credits: c }) => c && formatCredits(c.spent)],
  ['Downloads', ({ downloads }) => downloads && formatCount(downloads.total)],
]

/** The first row's numbers, by name; without figures yet they have no value. */
export function headline(stats?: AdminStats): { name: string; value?: string }[] {
  return headlines.map(([name, value]) => ({ name, value: stats && (value(stats) ?? ABSENT) }))
}
