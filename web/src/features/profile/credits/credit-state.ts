import type { CreditBalance, Subscription } from '@/lib/api/types'
import { twoDecimals, whole } from '@/lib/numbers'

/** What the credits card shows. */
export interface CreditState {
  /** With two decimals. */
  left: string
  /** Without decimals. */
  max: string
  /** Of the bar, 0 to 100. */
  percent: number
  /** How the bar looks, and what is said besides. */
  level: 'none' | 'calm' | 'low' | 'empty'
}

/** Below this share of the credits the bar is no longer calm. */
const LOW_PERCENT = 20
/** The maximum where nothing says it. */
const FALLBACK_MAX = 100

/** The balance against its maximum; without a balance, 0.00 of what the plan gives, or of 100. */
export function creditState(
  balance: CreditBalance | null,
  subscription: Subscription | null,
): CreditState {
  const left = positive(balance?.credit_balance)
  const max =
    positive(balance?.credit_max) || positive(subscription?.plan.monthly_credits) || FALLBACK_MAX
  const percent = Math.min(100, (left / max) * 100)
  return {
    left: twoDecimals(left),
    max: whole(max),
    percent,
    level: !balance ? 'none' : left === 0 ? 'empty' : percent < LOW_PERCENT ? 'low' : 'calm',
  }
}

function positive(value: number | undefined): number {
  return value !== undefined && Number.isFinite(value) ? Math.max(0, value) : 0
}
