import type { CreditEntry } from '@/lib/api/types'

const twoDecimals = { minimumFractionDigits: 2, maximumFractionDigits: 2 } as const
const amount = new Intl.NumberFormat('en-US', twoDecimals)
const change = new Intl.NumberFormat('en-US', { ...twoDecimals, signDisplay: 'exceptZero' })
/** Credits with two decimals, such as '1,234.50'. */
export const formatCredits = (credits: number): string => amount.format(credits)

/** What an entry changed, with a real minus sign, such as '+50.00' or '−1.20'. */
export const formatChange = (credits: number): string => change.format(credits).replace('-', '−')

const kinds: Record<CreditEntry['kind'], string> = {
  grant: 'Received',
  consume: 'Spent',
  expire: 'Expired',
  clawback: 'Taken back',
  adjust: 'Corrected',
}

/** What kind of entry it is, in a word or two. */
export const kindText = (kind: CreditEntry['kind']): string => kinds[kind] ?? kind
