import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { aBalance, aSubscription, onBilling } from '@/testing/billing'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { ProfileView } from '../profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: (url: string) => left.push(url) }))

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
    open()
    await screen.findByRole('heading', { name: /Plan$/ })
    expect(screen.queryByText('Extra credits')).toBeNull()
  },
)

test('what was paid is looked at once, and said', async () => {
  onBilling({ subscription: aSubscription(), balance: aBalance(70, 70), credits })
  const asked: unknown[] = []
  onPost('/api/sync-checkout-session', ({ body }) => {
    asked.push(body)
    return { data: aSubscription() }
  })
  open('/profile?success=true&pack=20&session_id=cs_test_1')
  expect(await screen.findByText('Your extra credits are here.')).toBeVisible()
  expect(asked).toEqual([{ sessionId: 'cs_test_1' }])
  expect(window.location.search).toBe('')
  expect(screen.queryByRole('dialog')).toBeNull()
})

test('what is on its way is not said to be here', async () => {
  onBilling({ subscription: aSubscription(), balance: aBalance(50, 50), credits })
  const onTheirWay = [{ credits: 20, since: '2026-11-21T12:00:00Z' }]
  let answer = () => {}
  const reading = new Promise<void>((resolve) => (answer = resolve))
  let asked = 0
  onGet('/api/get-token-balance', async () => {
    if (asked++ === 0) return { data: credits }
    await reading
    return { data: { ...credits, onTheirWay } }
  })
  onPost('/api/sync-checkout-session', () => ({ data: aSubscription() }))
  open('/profile?success=true&pack=20&session_id=cs_test_1')
  await waitFor(() => expect(asked).toBe(2))
  expect(screen.getByText('Your payment is being confirmed.')).toBeVisible()
  answer()
  expect(await screen.findByText('Thank you. What is on its way is listed below.')).toBeVisible()
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
