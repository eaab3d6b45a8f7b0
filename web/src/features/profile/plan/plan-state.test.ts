import { describe, expect, it, test } from 'vitest'
import { aSubscription } from '@/testing/billing'
import { planState } from './plan-state'

const DATE = '2026-12-21T12:00:00Z'
const none = ['', null] as const

test('without a subscription it is the free plan', () => {
  expect(planState(null)).toEqual({
    title: 'Free Plan',
    badge: null,
    description: 'Basic features and limited access. Upgrade to unlock more capabilities.',
    credits: null,
    billing: null,
    change: null,
    due: null,
    actions: ['upgrade'],
  })
})

test('an overdue payment says how much, since when, and until when credits can be spent', () => {
  const due = { amount: 25, currency: 'usd', since: DATE, processing: false }
  const owes = aSubscription({ status: 'past_due', due })
  const left = { balance: 3, granted: 50, used: 47, held: 0, period_end: '2026-12-24T12:00:00Z' }
  const overdue = '$25.00 has been overdue since December 21, 2026.'
  expect(planState(owes, left).due).toBe(
    `${overdue} Your credits can be spent until December 24, 2026.`,
  )
  const outlasts = { ...left, endings: [{ at: '2026-12-27T12:00:00Z', amount: 3 }] }
  expect(planState(owes, outlasts).due).toBe(
    `${overdue} Your credits can be spent until December 27, 2026.`,
  )
  const pack = { at: '2027-11-21T12:00:00Z', amount: 20 }
  const more = [{ at: '2026-12-27T12:05:00Z', amount: 0.5 }, ...outlasts.endings, pack]
  expect(planState(owes, { ...left, balance: 23.5, endings: more }).due).toBe(
    `${overdue} 3.5 of your credits can be spent until December 27, 2026, the others for longer.`,
  )
  for (const balance of [null, { ...left, balance: 0 }, { ...left, period_end: null }]) {
    expect(planState(owes, balance).due).toBe(overdue)
  }
  expect(planState(aSubscription({ status: 'past_due' }), left).due).toBeNull()
  expect(planState(aSubscription({ due }), left).due).toBeNull()
  const strange = { ...due, currency: 'coins' }
  expect(planState(aSubscription({ status: 'past_due', due: strange })).due).toContain(
    '25.00 COINS',
  )
})

test('a payment that is on its way says so, whatever the plan is in', () => {
  const due = { amount: 25, currency: 'usd', since: DATE, processing: true }
  for (const status of ['processing', 'active', 'past_due']) {
    expect(planState(aSubscription({ status, due })).due).toBe(
      '$25.00 has been on its way since December 21, 2026. The credits come with it.',
    )
  }
})

test('a change that waits is told with its date, while the plan is active', () => {
  const change = { plan: 'Pro', at: DATE }
  expect(planState(aSubscription({ change })).change).toBe('Changes to Pro on December 21, 2026')
  expect(planState(aSubscription({ change, status: 'cancelled' })).change).toBeNull()
  expect(planState(aSubscription()).change).toBeNull()
})

test('a trial says until when it is free, and what the plan costs then', () => {
  const trial = aSubscription({ afterTrial: { amount: 25, currency: 'usd' } })
  expect(planState(trial)).toMatchObject({
    badge: { text: 'Active' },
    billing: 'Free trial until December 21, 2026. Then Pro is $25.00 per month.',
  })
  const change = { plan: 'Business', at: DATE, interval: 'year' }
  expect(planState({ ...trial, change }).billing).toBe(
    'Free trial until December 21, 2026. Then Business is $25.00 per year.',
  )
  const after = { ...change, at: '2027-01-21T12:00:00Z' }
  expect(planState({ ...trial, change: after }).billing).toContain('Then Pro is $25.00 per month.')
  const leaving = planState({ ...trial, status: 'cancelled' }).billing
  expect(leaving).toBe('Subscription is active until December 21, 2026')
})

test('a plan that is paid by the year has its credits', () => {
  const yearly = aSubscription({ interval: 'year', periodCredits: 600 })
  expect(planState(yearly).credits).toBe('600 credits per year')
})

describe.each([
  {
    status: 'active',
    badge: { tone: 'positive', text: 'Active' },
    dated: 'Next billing date: December 21, 2026',
    undated: 'Next billing date: Period end',
    unreadable: 'Next billing date: Unknown date',
    actions: ['change', 'manage'],
  },
  {
    status: 'cancelled',
    badge: { tone: 'danger', text: 'Cancelled' },
    dated: 'Subscription is active until December 21, 2026',
    undated: 'Subscription is active until period end',
    unreadable: 'Subscription is active until Unknown date',
    actions: ['resubscribe'],
  },
  {
    status: 'past_due',
    badge: { tone: 'caution', text: 'Payment overdue' },
    dated: null,
    undated: null,
    unreadable: null,
    actions: ['update-payment'],
  },
  {
    status: 'processing',
    badge: { tone: 'caution', text: 'Payment on its way' },
    dated: null,
    undated: null,
    unreadable: null,
    actions: [],
  },
  ...['paused', 'incomplete', 'free', 'Active', 'constructor', ''].map((status) => ({
    status,
    badge: { tone: 'neutral', text: status },
    dated: null,
    undated: null,
    unreadable: null,
    actions: [],
  })),
])('$status', ({ status, badge, dated, undated, unreadable, actions }) => {
  const at = (current_period_end: string | null) =>
    planState(aSubscription({ status, current_period_end }))

  it('has its badge, credits and actions', () => {
    expect(at(DATE)).toMatchObject({ badge, actions, credits: '50 credits per month' })
    expect(at(DATE)).toMatchObject({ title: 'Pro Plan', description: null })
  })

  it('names the date, or says that there is none', () => {
    expect(at(DATE).billing).toBe(dated)
    for (const end of none) expect(at(end).billing).toBe(undated)
    expect(at('soon').billing).toBe(unreadable)
  })
})

test.each([
  ['pro', 'Pro Plan'],
  ['Business', 'Business Plan'],
  ['pro plus', 'Pro plus Plan'],
  ['élan', 'Élan Plan'],
  ['برو', 'برو Plan'],
  [' ', 'Free Plan'],
])('a plan called %j is the %s', (name, title) => {
  const plan = { name, monthly_credits: 50, price_monthly: 25 }
  expect(planState(aSubscription({ plan })).title).toBe(title)
})

test.each([
  [1000, '1,000 credits per month'],
  [12.5, '12.5 credits per month'],
  [0, 'Custom credits'],
])('%d credits a month are %j', (periodCredits, text) => {
  expect(planState(aSubscription({ periodCredits })).credits).toBe(text)
})

test('a plan that is paid by the quarter says so', () => {
  const afterTrial = { amount: 75, currency: 'usd' }
  const quarter = planState(aSubscription({ intervalCount: 3, periodCredits: 150, afterTrial }))
  expect(quarter).toMatchObject({
    credits: '150 credits every 3 months',
    billing: 'Free trial until December 21, 2026. Then Pro is $75.00 every 3 months.',
  })
})

test('credits that nobody has said are custom ones', () => {
  expect(planState(aSubscription({ periodCredits: undefined })).credits).toBe('Custom credits')
})
