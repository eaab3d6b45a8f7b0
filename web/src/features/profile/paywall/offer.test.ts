import { describe, expect, it, test } from 'vitest'
import type { Plan } from '@/lib/api/types'
import { aSubscription, plans } from '@/testing/billing'
import { offerOf } from './offer'

const [pro, business, enterprise] = plans as [Plan, Plan, Plan]
const on = (name: string, status: string) =>
  aSubscription({ status, plan: { name, monthly_credits: 50, price_monthly: 25 } })

const DAY = 'December 21, 2026'
const buy = { kind: 'buy', possible: true, note: null, later: false }
const upgrade = { ...buy, label: 'Upgrade' }

test('prices and credits in words', () => {
  expect(plans.map((plan) => offerOf(plan, null))).toMatchObject([
    { price: '$25', period: 'per month', credits: '50 credits per month' },
    { price: '$50', period: 'per month', credits: '100 credits per month' },
    { price: 'Flexible billing', period: '', credits: 'Custom credits' },
  ])
  expect(offerOf({ ...pro, price_monthly: 25.5 }, null).price).toBe('$25.50')
})

test('a trial is told before the click, to people without a plan', () => {
  const note = 'Free for 7 days, then $25 per month. Nothing is charged if you cancel before.'
  expect(offerOf(pro, null, 'month', 7).action).toEqual({ ...upgrade, note })
  expect(offerOf(pro, null, 'month', 0).action).toEqual(upgrade)
  expect(offerOf(business, on('Pro', 'active'), 'month', 7).action).toMatchObject({ note: null })
  expect(offerOf(enterprise, null, 'month', 7).action).toEqual({ kind: 'contact' })
})

describe('the plan that the person has', () => {
  it.each([
    ['active', { tone: 'positive', text: 'Active' }, { kind: 'current' }],
    ['cancelled', { tone: 'danger', text: 'Cancelled' }, { ...buy, label: 'Resubscribe' }],
    ['past_due', { tone: 'caution', text: 'Payment overdue' }, { kind: 'current' }],
    ['processing', { tone: 'caution', text: 'Payment on its way' }, { kind: 'current' }],
  ])('%s', (status, badge, action) => {
    for (const name of ['Pro', 'pro']) {
      expect(offerOf(pro, on(name, status))).toMatchObject({ current: true, badge, action })
    }
    expect(offerOf(business, on('Pro', status))).toMatchObject({ current: false, badge: null })
  })

  it.each(['incomplete', 'constructor', 'toString', ''])('is not one that is %j', (status) => {
    const offer = { current: false, badge: null, action: upgrade }
    expect(offerOf(pro, on('Pro', status))).toMatchObject(offer)
  })
})

describe('buying', () => {
  it('needs a price and a product', () => {
    const unsold = { ...upgrade, possible: false, note: 'Not available right now' }
    expect(offerOf({ ...pro, priceId: null }, null).action).toEqual(unsold)
    expect(offerOf({ ...pro, priceId: '' }, null).action).toEqual(unsold)
    expect(offerOf({ ...pro, productId: null }, null).action).toEqual(unsold)
    const cancelled = offerOf({ ...pro, priceId: null }, on('Pro', 'cancelled'))
    expect(cancelled.action).toEqual({ ...unsold, label: 'Resubscribe' })
  })

  it('says when a plan begins to which a change waits, whatever the plans cost', () => {
    const laterPriceIds = [pro.priceId!]
    const note = `From ${DAY}; Business until then`
    for (const price_monthly of [20, 50]) {
      const mine = { name: 'Business', monthly_credits: 100, price_monthly }
      expect(offerOf(pro, aSubscription({ plan: mine, laterPriceIds })).action).toEqual({
        ...upgrade,
        note,
        later: true,
      })
      expect(offerOf(pro, aSubscription({ plan: mine })).action).toEqual(upgrade)
    }
    expect(offerOf(business, on('Pro', 'active')).action).toEqual(upgrade)
  })

  it('of the present plan takes back the change that waits, and the other says when it comes', () => {
    const change = { plan: 'Pro', at: '2026-12-21T12:00:00Z' }
    const plan = { name: 'Business', monthly_credits: 100, price_monthly: 50 }
    const changing = aSubscription({ plan, change })
    expect(offerOf(business, changing)).toMatchObject({
      current: true,
      action: { ...buy, label: 'Keep Business', note: `Changes to Pro on ${DAY}`, later: true },
    })
    const coming = { ...upgrade, possible: false, note: `From ${DAY}` }
    expect(offerOf(pro, changing).action).toEqual(coming)
  })

  it.each([
    ['past_due', 'A payment is overdue. Please update your payment method first.'],
    ['processing', 'Your payment is on its way. You can order again if it does not arrive.'],
    [
      'paused',
      "Your subscription is paused. Open 'Invoices' in your profile to resume it, or write to us if it cannot be resumed there.",
    ],
    ['cancelled', 'Your plan is set to end. Please resubscribe to it first.'],
  ])('of another plan is not possible while the present one is %s', (status, note) => {
    expect(offerOf(business, on('Pro', status)).action).toEqual({
      ...upgrade,
      possible: false,
      note,
    })
  })

  it('of an Enterprise plan is a talk', () => {
    for (const subscription of [null, on('Pro', 'active'), on('Enterprise', 'cancelled')]) {
      expect(offerOf(enterprise, subscription).action).toEqual({ kind: 'contact' })
    }
    const has = offerOf(enterprise, on('Enterprise', 'active'))
    expect(has.action).toEqual({ kind: 'current' })
  })
})

describe('by the year', () => {
  const both = { ...pro, annual: { priceId: 'price_year', price: 250 } }
  const mine = { name: 'Pro', monthly_credits: 50, price_monthly: 25 }
  const laterPriceIds = [pro.priceId!, business.priceId!]
  const yearly = aSubscription({ interval: 'year', plan: mine, laterPriceIds })

  it('a plan has the credits of twelve months', () => {
    expect(offerOf(both, null, 'year')).toMatchObject({
      price: '$250',
      period: 'per year',
      credits: '600 credits per year',
      action: upgrade,
    })
    expect(offerOf(business, null, 'year')).toMatchObject({ price: '$50', period: 'per month' })
  })

  it('the present plan is the one at its interval, and the other a change', () => {
    expect(offerOf(both, yearly, 'year')).toMatchObject({ current: true })
    expect(offerOf(both, yearly, 'month')).toMatchObject({
      current: false,
      action: {
        ...buy,
        label: 'Switch to monthly',
        later: true,
        note: `From ${DAY}; paid yearly until then`,
      },
    })
    const daily = aSubscription({ plan: mine, interval: 'day', laterPriceIds: ['price_year'] })
    expect(offerOf(both, daily, 'year').action).toMatchObject({
      note: `From ${DAY}; paid daily until then`,
    })
    const quarter = aSubscription({ plan: mine, intervalCount: 3, laterPriceIds: ['price_year'] })
    expect(offerOf(both, quarter, 'year').action).toMatchObject({
      note: `From ${DAY}; paid every 3 months until then`,
    })
    const soon = { ...quarter, laterPriceIds: [pro.priceId!] }
    for (const plan of [both, pro]) {
      expect(offerOf(plan, soon)).toMatchObject({
        current: false,
        action: {
          ...buy,
          label: 'Switch to monthly',
          later: true,
          note: `From ${DAY}; paid every 3 months until then`,
        },
      })
      const ending = offerOf(plan, { ...soon, status: 'cancelled' })
      expect(ending.action).toEqual({ ...buy, label: 'Resubscribe' })
    }
    const yearOfMonths = aSubscription({ plan: mine, intervalCount: 12 })
    expect(offerOf(both, yearOfMonths, 'year')).toMatchObject({ current: true })
    const agreed = aSubscription({ plan: { ...mine, name: 'Enterprise' }, intervalCount: 3 })
    expect(offerOf(enterprise, agreed)).toMatchObject({ current: true })
    const toYear = offerOf(both, aSubscription({ plan: mine }), 'year')
    expect(toYear.action).toEqual({ ...buy, label: 'Switch to yearly' })
    expect(offerOf(both, aSubscription({ plan: mine }))).toMatchObject({ current: true })
  })

  it('a year of a cheaper plan begins at once, and a month of a dearer one after the year', () => {
    const dear = aSubscription({ plan: { ...mine, name: 'Business', price_monthly: 50 } })
    expect(offerOf(both, dear, 'year').action).toEqual(upgrade)
    const business2 = { ...business, annual: { priceId: 'price_year_2', price: 500 } }
    expect(offerOf(business2, yearly).action).toMatchObject({ later: true })
    const note = `From ${DAY}; Pro until then`
    expect(offerOf(business, yearly, 'year').action).toEqual({ ...upgrade, later: true, note })
  })

  it('the change that waits names the interval', () => {
    const change = { plan: 'Pro', at: '2026-12-21T12:00:00Z', interval: 'month' }
    const changing = { ...yearly, change }
    expect(offerOf(both, changing, 'year').action).toMatchObject({
      label: 'Keep Pro',
      note: `Changes to Pro, paid monthly, on ${DAY}`,
    })
    const daily = { ...changing, change: { ...change, interval: 'day' } }
    expect(offerOf(both, daily, 'year').action).toMatchObject({
      note: `Changes to Pro, paid daily, on ${DAY}`,
    })
    expect(offerOf(both, changing).action).toMatchObject({ possible: false, note: `From ${DAY}` })
  })
})
