import { describe, expect, it, test } from 'vitest'
import type { Plan } from '@/lib/api/types'
import { aSubscription, plans } from '@/testing/billing'
import { offerOf } from './offer'

const [pro, business, enterprise] = plans as [Plan, Plan, Plan]
const on = (name: string, status: string) =>
  aSubscription({ status, plan: { name, monthly_credits: 50, price_monthly: 25 } })

const upgrade = { kind: 'buy', label: 'Upgrade', sold: true }

test('prices and credits in words', () => {
  expect(plans.map((plan) => offerOf(plan, null))).toMatchObject([
    { price: '$25', period: 'per month', credits: '50 credits per month' },
    { price: '$50', period: 'per month', credits: '100 credits per month' },
    { price: 'Flexible billing', period: '', credits: 'Custom credits' },
  ])
  expect(offerOf({ ...pro, price_monthly: 25.5 }, null).price).toBe('$25.50')
})

describe('the plan that the person has', () => {
  it.each([
    ['active', { tone: 'positive', text: 'Active' }, { kind: 'current' }],
    [
      'cancelled',
      { tone: 'danger', text: 'Cancelled' },
      { kind: 'buy', label: 'Resubscribe', sold: true },
    ],
    ['past_due', { tone: 'caution', text: 'Payment overdue' }, { kind: 'current' }],
  ])('%s', (status, badge, action) => {
    for (const name of ['Pro', 'pro']) {
      expect(offerOf(pro, on(name, status))).toMatchObject({ current: true, badge, action })
    }
    expect(offerOf(business, on('Pro', status))).toMatchObject({
      current: false,
      badge: null,
      action: upgrade,
    })
  })

  it.each(['incomplete', 'paused', 'constructor', 'toString', ''])(
    'is not one that is %j',
    (status) => {
      const offer = { current: false, badge: null, action: upgrade }
      expect(offerOf(pro, on('Pro', status))).toMatchObject(offer)
    },
  )
})

describe('buying', () => {
  it('needs a price and a product', () => {
    const unsold = { kind: 'buy', label: 'Upgrade', sold: false }
    expect(offerOf({ ...pro, priceId: null }, null).action).toEqual(unsold)
    expect(offerOf({ ...pro, priceId: '' }, null).action).toEqual(unsold)
    expect(offerOf({ ...pro, productId: null }, null).action).toEqual(unsold)
    const cancelled = offerOf({ ...pro, priceId: null }, on('Pro', 'cancelled'))
    expect(cancelled.action).toEqual({ kind: 'buy', label: 'Resubscribe', sold: false })
  })

  it('of an Enterprise plan is a talk', () => {
    for (const subscription of [null, on('Pro', 'active'), on('Enterprise', 'cancelled')]) {
      expect(offerOf(enterprise, subscription).action).toEqual({ kind: 'contact' })
    }
    const has = offerOf(enterprise, on('Enterprise', 'active'))
    expect(has.action).toEqual({ kind: 'current' })
  })
})
