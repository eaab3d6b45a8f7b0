import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { aBalance, aSubscription, onBilling } from '@/testing/billing'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost } from '@/testing/server'
import type { SubscriptionAnswer } from '@/lib/api/types'
import { aSession } from '@/testing/session'
import { ProfileView } from '../profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: (url: string) => left.push(url) }))

/** What the server says of a pack, or how it answers. */
type Answer = SubscriptionAnswer['pack'] | (() => Response | Promise<SubscriptionAnswer>)

const left: string[] = []
const pack = {
  productId: 'prod_pack',
  priceId: 'price_pack',
  credits: 20,
  price: { amount: 12, currency: 'usd' },
}
const credits = { granted: 50, used: 0, held: 0, balance: 50, period_end: null }

beforeEach(() => {
  left.length = 0
  onGet('/api/auth/devices', () => ({ data: [] }))
  onGet('/api/get-waitlist-status', () => ({ status: null }))
})

const open = (address = '/profile') => {
  visit(address)
  return renderApp(<ProfileView />, { session: aSession() })
}

test('somebody with a plan buys extra credits', async () => {
  onBilling({ subscription: aSubscription(), balance: aBalance(50, 50), packs: [pack] })
  let order: unknown
  onPost('/api/create-checkout-session', ({ body }) => {
    order = body
    return { sessionId: 'cs_1', url: 'https://checkout.stripe.com/c/pay/cs_1' }
  })
  const { container } = open()
  const offer = await screen.findByRole('region', { name: 'Extra credits' })
  expect(offer).toHaveTextContent('They last for a year')
  expect(await violations(container)).toEqual([])
  await userEvent.click(within(offer).getByRole('button', { name: '20 credits for $12.00' }))
  await waitFor(() => expect(left).toEqual(['https://checkout.stripe.com/c/pay/cs_1']))
  const origin = window.location.origin
  expect(order).toMatchObject({
    productId: 'prod_pack',
    priceId: 'price_pack',
    successUrl: `${origin}/profile?success=true&pack=20&session_id={CHECKOUT_SESSION_ID}`,
  })
})

test.each([null, aSubscription({ status: 'past_due' })])(
  'others are not offered any: %j',
  async (subscription) => {
    onBilling({ subscription, packs: [pack] })
    let asked = 0
    onGet('/api/get-plans', () => {
      asked++
      return { data: [], packs: [pack] }
    })
    open()
    await screen.findByRole('heading', { name: /Plan$/ })
    expect(asked).toBe(0)
    expect(screen.queryByText('Extra credits')).toBeNull()
  },
)

describe('after a payment', () => {
  const CONFIRMING = 'Your payment is being confirmed.'
  let answers: Answer[]
  let asked: unknown[]

  beforeEach(() => {
    // The clock runs as always, and the tests push it on.
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onBilling({ subscription: aSubscription(), balance: aBalance(70, 70), credits })
    asked = []
    onPost('/api/sync-checkout-session', ({ body }) => {
      const answer = answers[Math.min(asked.push(body), answers.length) - 1]
      return typeof answer === 'function' ? answer() : { data: aSubscription(), pack: answer }
    })
  })
  afterEach(() => void vi.useRealTimers())

  const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

  async function arrive(...all: Answer[]) {
    answers = all
    const page = open('/profile?success=true&pack=20&session_id=cs_test_1')
    await screen.findByRole('heading', { name: /Plan$/ })
    return page
  }

  test.each([
    ['given' as const, 'Your extra credits are here.'],
    ['on_its_way' as const, 'Thank you. Your payment is on its way, and the credits come with it.'],
  ])('the server looks once at what is %s, and that is said', async (answer, text) => {
    await arrive(answer)
    expect(await screen.findByText(text)).toBeVisible()
    await pass(30_000)
    expect(asked).toEqual([{ sessionId: 'cs_test_1' }])
    expect(window.location.search).toBe('')
    expect(screen.queryByRole('dialog')).toBeNull()
  })

  test.each([
    ['not paid', 'not_given' as const],
    ['not known', () => failure(503, 'Not now.')],
  ])('what is %s at first is looked at again', async (_what, first) => {
    await arrive(first, 'given')
    expect(await screen.findByText(CONFIRMING)).toBeVisible()
    await pass(2000)
    expect(await screen.findByText('Your extra credits are here.')).toBeVisible()
  })

  test('an answer that comes after the next question counts', async () => {
    let answer = () => {}
    const slow = new Promise<void>((resolve) => (answer = resolve))
    await arrive(
      async () => {
        await slow
        return { data: aSubscription(), pack: 'given' }
      },
      () => new Promise<never>(() => {}),
    )
    await waitFor(() => expect(asked.length).toBe(1))
    await pass(2000)
    await waitFor(() => expect(asked.length).toBeGreaterThan(1))
    answer()
    expect(await screen.findByText('Your extra credits are here.')).toBeVisible()
  })

  test('what is not paid is late after half a minute', async () => {
    await arrive('not_given')
    await pass(30_000)
    const text = 'Your payment is not confirmed yet. The credits are added as soon as it is.'
    expect(await screen.findByText(text)).toBeVisible()
    const before = asked.length
    await pass(30_000)
    expect(asked.length).toBe(before)
  })
})

test('what is on its way is listed', async () => {
  const onTheirWay = [{ credits: 20, since: '2026-11-21T12:00:00Z' }]
  onBilling({
    subscription: aSubscription(),
    balance: aBalance(50, 50),
    credits: { ...credits, onTheirWay },
  })
  open()
  const list = await screen.findByRole('list', { name: 'Credits on their way' })
  expect(list).toHaveTextContent('20 on their way since November 21, 2026')
})
