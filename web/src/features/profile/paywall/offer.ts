import type { Tone } from '@/components/app/status-badge'
import type { Plan, Subscription } from '@/lib/api/types'
import { formatBillingDay } from '@/lib/dates'
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
    | { kind: 'buy'; label: string; possible: boolean; note: string | null; later: boolean }
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
  ['processing', { tone: 'caution', text: 'Payment on its way' }],
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
    action: actionOf(plan, badge ? subscription?.status : undefined, subscription),
  }
}

function actionOf(
  plan: Plan,
  status: string | undefined,
  subscription: Subscription | null,
): Offer['action'] {
  const change = subscription?.change
  const keep = status === 'active' && change
  if ((status === 'active' && !keep) || status === 'past_due' || status === 'processing') {
    return { kind: 'current' }
  }
  if (plan.contactSales) return { kind: 'contact' }
  const sold = Boolean(plan.priceId && plan.productId)
  const label = keep ? `Keep ${plan.name}` : status === 'cancelled' ? 'Resubscribe' : 'Upgrade'
  const buy = { kind: 'buy', label, possible: sold, note: null, later: false } as const
  if (!sold) return { ...buy, note: 'Not available right now' }
  if (keep) return { ...buy, note: changeText(change), later: true }
  if (status !== undefined || !subscription) return buy
  const hindrance = hindranceOf(plan, subscription)
  if (hindrance) return { ...buy, possible: false, note: hindrance }
  const later = isCheaper(plan, subscription)
  return { ...buy, later, note: later ? fromText(subscription) : null }
}

/** A plan that costs less than the present one begins when that is used up. */
function isCheaper(plan: Plan, { status, plan: mine }: Subscription): boolean {
  return status === 'active' && plan.price_monthly < mine.price_monthly
}

function fromText({ plan, current_period_end: end }: Subscription): string {
  const day = end ? formatBillingDay(end) : 'your next billing date'
  return `From ${day}; ${plan.name} until then`
}

/** What is set to happen to the plan. */
export function changeText({ plan, at }: NonNullable<Subscription['change']>): string {
  return `Changes to ${plan} on ${formatBillingDay(at)}`
}

/** Why another plan cannot be bought now. */
function hindranceOf(plan: Plan, { status, change }: Subscription): string | null {
  if (status === 'past_due') return 'A payment is overdue. Please update your payment method first.'
  if (status === 'processing') {
    return 'Your payment is on its way. You can order again if it does not arrive.'
  }
  if (status === 'cancelled') return 'Your plan is set to end. Please resubscribe to it first.'
  if (!change) return null
  return change.plan.toLowerCase() === plan.name.toLowerCase()
    ? `From ${formatBillingDay(change.at)}`
    : 'Your plan is set to change. Keep your present plan first.'
}
