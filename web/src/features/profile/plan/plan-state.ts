import type { Tone } from '@/components/app/status-badge'
import type { Credits, Subscription } from '@/lib/api/types'
import { moneyText, upToTwoDecimals } from '@/lib/numbers'
import { formatBillingDay } from '@/lib/dates'
import { badges, changeText, everyText } from '../paywall/offer'

export type PlanAction = 'upgrade' | 'change' | 'manage' | 'resubscribe' | 'update-payment'

/** What the plan card shows. */
export interface PlanState {
  title: string
  /** Absent on the free plan, whose title says it all. */
  badge: { tone: Tone; text: string } | null
  /** Of the free plan alone. */
  description: string | null
  credits: string | null
  billing: string | null
  /** What is set to happen to the plan. */
  change: string | null
  /** What is overdue, and until when there is something to spend; or what is on its way. */
  due: string | null
  actions: readonly PlanAction[]
}

const FREE: PlanState = {
  title: 'Free Plan',
  badge: null,
  description: 'Basic features and limited access. Upgrade to unlock more capabilities.',
  credits: null,
  billing: null,
  change: null,
  due: null,
  actions: ['upgrade'],
}

function capitalised(name: string): string {
  const [first = '', ...rest] = name
  return first.toUpperCase() + rest.join('')
}

/** The state of a subscription, null for the free plan, and of the credits, whose end is told when a payment is overdue. */
export function planState(
  subscription: Subscription | null,
  credits: Credits | null = null,
): PlanState {
  if (!subscription) return FREE
  const {
    plan,
    status,
    interval,
    intervalCount,
    periodCredits,
    current_period_end: end,
  } = subscription
  return {
    title: plan.name.trim() ? `${capitalised(plan.name.trim())} Plan` : FREE.title,
    badge: badges.get(status) ?? { tone: 'neutral', text: status },
    description: null,
    credits: periodCredits
      ? `${upToTwoDecimals(periodCredits)} credits ${everyText(interval, intervalCount)}`
      : 'Custom credits',
    change: status === 'active' ? changeText(subscription) : null,
    due: subscription.due ? dueText(subscription.due, status, credits) : null,
    ...ofStatus(status, end),
    ...(status === 'active' && trialTerms(subscription)),
  }
}

/** Until when a trial is free, and what is charged then, in the place of the next billing date. */
function trialTerms(subscription: Subscription) {
  const {
    plan,
    afterTrial,
    change,
    interval,
    intervalCount,
    current_period_end: end,
  } = subscription
  if (!afterTrial || !end) return null
  // The price is that of the plan that a change at the end of the trial leads to.
  const next = change?.at === end ? change : null
  const every = next ? everyText(next.interval ?? interval) : everyText(interval, intervalCount)
  const price = `${moneyText(afterTrial.amount, afterTrial.currency)} ${every}`
  const name = next?.plan ?? plan.name
  return { billing: `Free trial until ${formatBillingDay(end)}. Then ${name} is ${price}.` }
}

function dueText(
  { amount, currency, since, processing }: NonNullable<Subscription['due']>,
  status: string,
  credits: Credits | null,
): string | null {
  if (processing) {
    return `${moneyText(amount, currency)} has been on its way since ${formatBillingDay(since)}. The credits come with it.`
  }
  if (status !== 'past_due') return null
  const overdue = `${moneyText(amount, currency)} has been overdue since ${formatBillingDay(since)}.`
  return [overdue, credits && spendableText(credits)].filter(Boolean).join(' ')
}

/** Until when credits can be spent, or the first of them where others last longer. */
function spendableText({ balance, endings, period_end }: Credits): string | null {
  // Of a period that is over and not paid for again, credits outlast the period by some days.
  const end = endings?.[0]?.at ?? period_end
  if (balance <= 0 || !end) return null
  const day = formatBillingDay(end)
  const first = (endings ?? []).filter(({ at }) => formatBillingDay(at) === day)
  if (first.length === (endings ?? []).length) return `Your credits can be spent until ${day}.`
  const amount = first.reduce((sum, ending) => sum + ending.amount, 0)
  return `${upToTwoDecimals(amount)} of your credits can be spent until ${day}, the others for longer.`
}

function ofStatus(status: string, end: string | null): Pick<PlanState, 'billing' | 'actions'> {
  switch (status) {
    case 'active':
      return {
        billing: `Next billing date: ${end ? formatBillingDay(end) : 'Period end'}`,
        actions: ['change', 'manage'],
      }
    case 'cancelled':
      return {
        billing: `Subscription is active until ${end ? formatBillingDay(end) : 'period end'}`,
        actions: ['resubscribe'],
      }
    case 'past_due':
      return { billing: null, actions: ['update-payment'] }
    default:
      return { billing: null, actions: [] }
  }
}
