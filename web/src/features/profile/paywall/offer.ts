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

/** How often a plan is paid. */
export type Interval = 'month' | 'year'

const MONTHS_OF = { month: 1, year: 12 } as const

const dollars = (amount: number) => `$${twoDecimals(amount).replace(/\.00$/, '')}`

/** What a plan is sold at: by the year, where that is chosen and the plan is. */
function termsOf(
  plan: Plan,
  chosen: Interval,
): { interval: Interval; price: number; priceId: Plan['priceId'] } {
  return chosen === 'year' && plan.annual
    ? { interval: 'year', price: plan.annual.price, priceId: plan.annual.priceId }
    : { interval: 'month', price: plan.price_monthly, priceId: plan.priceId }
}

/** What a checkout for the plan sells, as it is shown and as its way back carries it. */
export function purchaseOf(plan: Plan, chosen: Interval) {
  const { interval, price, priceId } = termsOf(plan, chosen)
  const months = MONTHS_OF[interval]
  return {
    interval,
    priceId,
    price: price > 0 ? dollars(price) : 'Flexible billing',
    credits: plan.monthly_credits * months,
  }
}

/** How the status of a subscription looks. */
export const badges = new Map<string, { tone: Tone; text: string }>([
  ['active', { tone: 'positive', text: 'Active' }],
  ['cancelled', { tone: 'danger', text: 'Cancelled' }],
  ['past_due', { tone: 'caution', text: 'Payment overdue' }],
  ['processing', { tone: 'caution', text: 'Payment on its way' }],
])

const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()

/** The interval that a subscription is paid by. */
const intervalOf = ({ interval }: Subscription) => interval ?? 'month'

/** How often something is paid, such as `per month` or `every 3 months`. */
export const everyText = (interval = 'month', count = 1) =>
  count > 1 ? `every ${count} ${interval}s` : `per ${interval}`

const paidEach = (interval: string) => (interval === 'day' ? 'paid daily' : `paid ${interval}ly`)

/** How a subscription is paid, such as `paid monthly` or `paid every 3 months`. */
function paidText({ interval = 'month', intervalCount = 1 }: Subscription): string {
  return intervalCount > 1 ? `paid ${everyText(interval, intervalCount)}` : paidEach(interval)
}

/** How many months a subscription is paid for at once; none for less than a month. */
const monthsOf = ({ interval = 'month', intervalCount = 1 }: Subscription) =>
  (interval in MONTHS_OF ? MONTHS_OF[interval as Interval] : 0) * intervalCount

/**
 * Whether what the subscription is paid by is what the plan is sold at, as billing decides it: one that is sold by
 * the month alone is that for all who do not pay several intervals at once, and what is set to end and sold no more
 * can be continued.
 */
function isPaidBy(plan: Plan, subscription: Subscription, chosen: Interval): boolean {
  const months = monthsOf(subscription)
  if (plan.contactSales || months === MONTHS_OF[termsOf(plan, chosen).interval]) return true
  const sold = months === 1 || (months === 12 && Boolean(plan.annual))
  if (subscription.status === 'cancelled' && !sold) return true
  return (subscription.intervalCount ?? 1) === 1 && !plan.annual
}

/** What `plan`, paid by the chosen interval, is to somebody with `subscription`, whose first plan would begin with a trial. */
export function offerOf(
  plan: Plan,
  subscription: Subscription | null,
  chosen: Interval = 'month',
  trialDays = 0,
): Offer {
  const mine =
    subscription !== null &&
    same(subscription.plan.name, plan.name) &&
    isPaidBy(plan, subscription, chosen)
  // Any other status is a purchase that was never finished: the plan is not the person's yet.
  const badge = (mine && badges.get(subscription.status)) || null
  const { interval, price, credits } = purchaseOf(plan, chosen)
  return {
    price,
    period: plan.price_monthly > 0 ? `per ${interval}` : '',
    credits:
      plan.monthly_credits > 0
        ? `${upToTwoDecimals(credits)} credits per ${interval}`
        : 'Custom credits',
    badge,
    current: badge !== null,
    action: actionOf(
      plan,
      badge ? subscription?.status : undefined,
      subscription,
      chosen,
      trialDays,
    ),
  }
}

function actionOf(
  plan: Plan,
  status: string | undefined,
  subscription: Subscription | null,
  chosen: Interval,
  trialDays: number,
): Offer['action'] {
  const keep = status === 'active' && subscription?.change
  if ((status === 'active' && !keep) || status === 'past_due' || status === 'processing') {
    return { kind: 'current' }
  }
  if (plan.contactSales) return { kind: 'contact' }
  const { interval, priceId } = termsOf(plan, chosen)
  const sold = Boolean(priceId && plan.productId)
  const turns = status === undefined && subscription && same(subscription.plan.name, plan.name)
  const label = keep
    ? `Keep ${plan.name}`
    : status === 'cancelled'
      ? 'Resubscribe'
      : turns && badges.has(subscription.status)
        ? `Switch to ${interval}ly`
        : 'Upgrade'
  const buy = { kind: 'buy', label, possible: sold, note: null, later: false } as const
  if (!sold) return { ...buy, note: 'Not available right now' }
  if (keep) return { ...buy, note: changeText(subscription), later: true }
  if (!subscription && trialDays > 0) return { ...buy, note: trialText(plan, chosen, trialDays) }
  if (status !== undefined || !subscription) return buy
  const hindrance = hindranceOf(plan, subscription, interval)
  if (hindrance) return { ...buy, possible: false, note: hindrance }
  const later = isLater(subscription, priceId)
  return { ...buy, later, note: later ? fromText(plan, subscription) : null }
}

/** What a click on a plan leads to while the first days are free. */
function trialText(plan: Plan, chosen: Interval, days: number): string {
  const { price, interval } = purchaseOf(plan, chosen)
  const free = days === 1 ? '1 day' : `${days} days`
  return `Free for ${free}, then ${price} per ${interval}. Nothing is charged if you cancel before.`
}

/** What costs less than the present plan, or is paid for a shorter time, begins when that is used up: billing knows. */
function isLater({ status, laterPriceIds = [] }: Subscription, priceId: string | null): boolean {
  return status === 'active' && priceId !== null && laterPriceIds.includes(priceId)
}

function fromText(plan: Plan, subscription: Subscription): string {
  const { plan: mine, current_period_end: end } = subscription
  const day = end ? formatBillingDay(end) : 'your next billing date'
  const now = same(plan.name, mine.name) ? paidText(subscription) : mine.name
  return `From ${day}; ${now} until then`
}

/** What is set to happen to the plan; null when it stays. */
export function changeText({ change }: Subscription): string | null {
  if (!change) return null
  const paid = change.interval ? `, ${paidEach(change.interval)},` : ''
  return `Changes to ${change.plan}${paid} on ${formatBillingDay(change.at)}`
}

/** Why another plan, or another interval, cannot be chosen now. */
function hindranceOf(plan: Plan, subscription: Subscription, interval: string): string | null {
  const { status, change } = subscription
  if (status === 'past_due') return 'A payment is overdue. Please update your payment method first.'
  if (status === 'processing') {
    return 'Your payment is on its way. You can order again if it does not arrive.'
  }
  if (status === 'paused') {
    return "Your subscription is paused. Open 'Invoices' in your profile to resume it, or write to us if it cannot be resumed there."
  }
  if (status === 'cancelled') return 'Your plan is set to end. Please resubscribe to it first.'
  if (!change) return null
  return same(change.plan, plan.name) &&
    (!plan.annual || (change.interval ?? intervalOf(subscription)) === interval)
    ? `From ${formatBillingDay(change.at)}`
    : 'Your plan is set to change. Keep your present plan first.'
}
