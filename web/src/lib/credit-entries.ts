import type { CreditEntry } from '@/lib/api/types'
import { lookup } from '@/lib/lookup'
import { twoDecimals } from '@/lib/numbers'

/** What an entry changed, with a real minus sign, such as '+50.00' or '−1.20'. */
export function formatChange(credits: number): string {
  const amount = twoDecimals(Math.abs(credits))
  if (amount === '0.00') return amount
  return `${credits < 0 ? '−' : '+'}${amount}`
}

const kinds: Record<CreditEntry['kind'], string> = {
  grant: 'Received',
  consume: 'Spent',
  expire: 'Expired',
  clawback: 'Reversed',
  adjust: 'Adjusted',
}

/** What kind of entry it is, in a word or two. */
export const kindText = (kind: CreditEntry['kind']): string => lookup(kinds, kind) ?? kind
