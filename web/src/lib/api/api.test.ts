import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeStore } from '@/store/store'
import { onBilling } from '@/testing/billing'
import { billingApi } from './billing-api'

const { getPlans } = billingApi.endpoints

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
})
afterEach(() => {
  vi.useRealTimers()
})

it('what nobody shows any more is kept for 5 minutes', async () => {
  onBilling()
  const store = makeStore()
  const shown = store.dispatch(getPlans.initiate())
  await shown
  shown.unsubscribe()
  const kept = () => getPlans.select()(store.getState()).data !== undefined
  await vi.advanceTimersByTimeAsync(295_000)
  expect(kept()).toBe(true)
  await vi.advanceTimersByTimeAsync(10_000)
  expect(kept()).toBe(false)
})
