import type {
  CreditBalance,
  CreditHistory,
  Credits,
  Pack,
  Plan,
  Subscription,
} from '@/lib/api/types'
import sold from './plans.json'
import { onGet } from './server'

const USER = '4f0e6c1e-6f0a-4f5e-9d4b-1f6f2a3b4c5d'

/** The plans as they are sold: billing's own test holds them equal. */
export const plans: Plan[] = sold

/** An active Pro subscription; `overrides` replaces parts of it. */
export function aSubscription(overrides: Partial<Subscription> = {}): Subscription {
  return {
    user_id: USER,
    status: 'active',
    current_period_end: '2026-12-21T12:00:00Z',
    created_at: '2026-11-21T12:00:00Z',
    plan: { name: 'Pro', monthly_credits: 50, price_monthly: 25 },
    periodCredits: 50,
    ...overrides,
  }
}

export function aBalance(credit_balance: number, credit_max: number): CreditBalance {
  return { user_id: USER, credit_balance, credit_max }
}

/** What the billing routes answer; tests change it between two reads. */
export interface Billing {
  plans: Plan[]
  packs?: Pack[]
  trialDays?: number
  hasPortal?: boolean
  subscription: Subscription | null
  balance: CreditBalance | null
  credits: Credits | null
  history: CreditHistory
}

/** Lets the billing routes answer for somebody on the free plan, but for `overrides`. */
export function onBilling(overrides: Partial<Billing> = {}): Billing {
  const billing: Billing = {
    plans,
    subscription: null,
    balance: null,
    credits: null,
    history: { data: [], nextCursor: null, days: [] },
    ...overrides,
  }
  onGet('/api/get-plans', () => ({ data: billing.plans, packs: billing.packs }))
  onGet('/api/get-subscription', () => ({
    data: billing.subscription,
    trialDays: billing.trialDays,
    hasPortal: billing.hasPortal,
  }))
  onGet('/api/get-credit-balance', () => ({ data: billing.balance }))
  onGet('/api/get-token-balance', () => ({ data: billing.credits }))
  onGet('/api/get-credit-history', () => billing.history)
  return billing
}
