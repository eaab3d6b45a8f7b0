import type { CreditEntry } from '@/lib/api/types'

const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
const amount = new Intl.NumberFormat('en-US', twoDecimals)
const change = new Intl.NumberFormat('en-US', { ...twoDecimals, signDisplay: 'exceptZero' })
// Days are counted in UTC, and are named so.
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** Credits with two decimals, such as '1,234.50'. */
export const formatCredits = (credits: number): string => amount.format(credits)

/** What an entry changed, with a real minus sign, such as '+50.00' or '−1.20'. */
export const formatChange = (credits: number): string => change.format(credits).replace('-', '−')

/** A day such as 'Dec 3', from '2026-12-03'. */
export function formatDay(date: string): string {
  const time = Date.parse(`${date}T00:00:00Z`)
  return Number.isNaN(time) ? date : day.format(time)
}

const kinds: Record<CreditEntry['kind'], string> = {
  grant: 'Received',
  consume: 'Spent',
  expire: 'Expired',
  clawback: 'Taken back',
  adjust: 'Corrected',
}

/** What kind of entry it is, in a word or two. */
export const kindText = (kind: CreditEntry['kind']): string => kinds[kind] ?? kind
