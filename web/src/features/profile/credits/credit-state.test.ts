import fc from 'fast-check'
import { expect, test } from 'vitest'
import { aBalance, aSubscription } from '@/testing/billing'
import { creditState } from './credit-state'

test.each([
  ['nothing at all', null, null, '0.00', '100', 0, 'none'],
  ['no balance on Pro', null, aSubscription(), '0.00', '50', 0, 'none'],
  ['some', aBalance(12.34, 50), aSubscription(), '12.34', '50', 24.68, 'calm'],
  ['all', aBalance(50, 50), aSubscription(), '50.00', '50', 100, 'calm'],
  ['more than all', aBalance(75, 50), aSubscription(), '75.00', '50', 100, 'calm'],
  ['just enough to be calm', aBalance(10, 50), aSubscription(), '10.00', '50', 20, 'calm'],
  ['little', aBalance(9.99, 50), aSubscription(), '9.99', '50', 19.98, 'low'],
  ['used up', aBalance(0, 50), aSubscription(), '0.00', '50', 0, 'empty'],
  ['no maximum', aBalance(5, 0), aSubscription(), '5.00', '50', 10, 'low'],
  ['no maximum, no plan', aBalance(0, 0), null, '0.00', '100', 0, 'empty'],
  ['thousands', aBalance(1234.5, 2000), null, '1,234.50', '2,000', 61.725, 'calm'],
  ['nonsense', aBalance(Number.NaN, -1), null, '0.00', '100', 0, 'empty'],
] as const)('%s', (_name, balance, subscription, left, max, percent, level) => {
  const state = creditState(balance, subscription)
  expect(state).toMatchObject({ left, max, level })
  expect(state.percent).toBeCloseTo(percent)
})

test('the bar never leaves its frame', () => {
  fc.assert(
    fc.property(fc.double(), fc.double(), (left, max) => {
      const { percent } = creditState(aBalance(left, max), null)
      expect(percent).toBeGreaterThanOrEqual(0)
      expect(percent).toBeLessThanOrEqual(100)
    }),
  )
})
