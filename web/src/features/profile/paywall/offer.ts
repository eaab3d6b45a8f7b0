import type { Tone } from '@/components/app/status-badge'
import type { Plan, Subscription } from '@/lib/api/types'
import { twoDecimals, upToTwoDecimals } from '@/lib/numbers'

/** What a card of the plan modal offers. */
export interface Offer {
  price: string
  period: string
  credits: string
  badge: { tone: Tone; text: string } | null
  /** Whether it is the plan that the person has. */
  current: boolean
  action:
    | { kind: 'current' }
    | { kind: 'contact' }
    | { kind: 'buy'; label: 'Upgrade' | 'Resubscribe'; sold: boolean }
}

const dollars = (amount: number) => `$${twoDecimals(amount).replace(/\.00$/, '')}`

/** A price as it is shown and as the checkout's way back carries it, such as '$25'. */
export function priceText(plan: Plan): string {
  return plan.price_monthly > 0 ? dollars(plan.price_monthly) : 'Flexible billing'
}

const badges = new Map<string, { tone: Tone; text: string }>([
  ['active', { tone: 'positive', text: 'Active' }],
  ['cancelled', { tone: 'danger', text: 'Cancelled' }],
  ['past_due', { tone: 'caution', text: 'Payment overdue' }],
])

/** What `plan` is to somebody with `subscription`. */
export function offerOf(plan: Plan, subscription: Subscription | null): Offer {
  const mine = subscription?.plan.name.toLowerCase() === plan.name.toLowerCase()
  // Any other status is a purchase that was never finished: the plan is not the person's yet.
  const badge = (mine && badges.get(subscription.status)) || null
  return {
    price: priceText(plan),
    period: plan.price_monthly > 0 ? 'per month' : '',
    credits:
      plan.monthly_credits > 0
        ? `${upToTwoDecimals(plan.monthly_credits)} credits per month`
        : 'Custom credits',
    badge,
    current: badge !== null,
    action: actionOf(plan, badge ? subscription?.status : undefined),
  }
}

function actionOf(plan: Plan, status: string | undefined): Offer['action'] {
  if (status === 'active' || status === 'past_due') return { kind: 'current' }
  if (plan.contactSales) return { kind: 'contact' }
  return {
    kind: 'buy',
    label: status === 'cancelled' ? 'Resubscribe' : 'Upgrade',
    sold: Boolean(plan.priceId && plan.productId),
  }
}
