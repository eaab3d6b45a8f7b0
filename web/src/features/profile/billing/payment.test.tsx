import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { aBalance, aSubscription, type Billing, onBilling } from '@/testing/billing'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { ProfileView } from '../profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

/** As the specification has them. */
const POLL_MS = 2000
const POLL_FOR_MS = 30_000
const CONFIRMING = 'Confirming your payment...'

let billing: Billing
/** The calls in their order. */
let calls: string[]
const reads = () => calls.filter((call) => call === 'subscription').length

// Loading the code on demand must not take the time that a poll has.
beforeAll(() => Promise.all([import('../further-cards'), import('../welcome/welcome')]))

beforeEach(() => {
  // The clock runs as always, and the tests push it on.
  vi.useFakeTimers({ shouldAdvanceTime: true })
  calls = []
  onGet('/api/auth/devices', () => ({ data: [] }))
  onGet('/api/get-waitlist-status', () => ({ status: null }))
  billing = onBilling()
  onGet('/api/get-subscription', () => {
    calls.push('subscription')
    return { data: billing.subscription }
  })
  onGet('/api/get-credit-balance', () => {
    calls.push('credits')
    return { data: billing.balance }
  })
  onPost('/api/sync-checkout-session', ({ body }) => {
    calls.push(`sync ${(body as { sessionId: string }).sessionId}`)
    return { data: billing.subscription }
  })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Pushes the clock on; answers that are due meanwhile arrive. */
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

async function arrive(query = '') {
  visit(`/profile?success=true${query}`)
  const page = renderApp(<ProfileView />, { session: aSession() })
  await screen.findByRole('heading', { name: /Plan$/ })
  return page
}

const welcome = () => screen.queryByRole('dialog', { name: /^Welcome/ })

describe('the welcome', () => {
  it('names what was bought, and leaves the address clean', async () => {
    const plan = { name: 'Business', monthly_credits: 100, price_monthly: 50 }
    billing.subscription = aSubscription({ plan })
    await arrive('&plan=Business&tokens=100&price=%2450')
    const dialog = await screen.findByRole('dialog', { name: 'Welcome to Business!' })
    expect(window.location.pathname + window.location.search).toBe('/profile')
    for (const text of ['Your subscription is active!', "What's next?", '100', '$50']) {
      expect(within(dialog).getByText(text)).toBeVisible()
    }
    expect(
      within(dialog)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([
      'Use your credits immediately',
      'Access all the features of your plan',
      'Manage your subscription here in your profile',
    ])
    vi.useRealTimers()
    expect(await violations(dialog)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Get Started' }))
    await waitFor(() => expect(welcome()).not.toBeInTheDocument())
  })

  it('says that the subscription is active when it is, not before', async () => {
    await arrive('&plan=Pro')
    const dialog = within(await screen.findByRole('dialog', { name: 'Welcome to Pro!' }))
    expect(dialog.getByRole('status')).toHaveTextContent('Your payment is being confirmed.')
    expect(dialog.queryByText('Your subscription is active!')).not.toBeInTheDocument()
    billing.subscription = aSubscription()
    await pass(POLL_MS)
    expect(await dialog.findByText('Your subscription is active!')).toBeVisible()
    expect(dialog.queryByText(/being confirmed/)).not.toBeInTheDocument()
  })

  it('says that the payment is not confirmed when it takes long', async () => {
    await arrive('&plan=Pro')
    const dialog = within(await screen.findByRole('dialog', { name: 'Welcome to Pro!' }))
    await pass(POLL_FOR_MS)
    expect(await dialog.findByText('Your payment is not confirmed yet.')).toBeVisible()
  })

  it('has its defaults', async () => {
    await arrive()
    expect(await screen.findByRole('dialog', { name: 'Welcome to Pro!' })).toHaveTextContent(
      /100.*\$20/,
    )
  })

  it('shows hostile text as text', async () => {
    await arrive(`&plan=${encodeURIComponent('<img src=x>')}&tokens=<b>&price=<i>`)
    const dialog = await screen.findByRole('dialog', { name: 'Welcome to img srcx!' })
    expect(dialog.querySelector('img, b, i')).toBeNull()
  })

  it.each(['Plan', ''])('does not appear for a plan called %j', async (plan) => {
    await arrive(`&plan=${plan}`)
    await pass(POLL_MS)
    await waitFor(() => expect(welcome()).not.toBeInTheDocument())
  })
})

describe('after a payment', () => {
  it('the checkout is reported, and the plan is there without waiting for an event', async () => {
    onPost('/api/sync-checkout-session', ({ body, bearer }) => {
      calls.push(`sync ${bearer} ${JSON.stringify(body)}`)
      billing.subscription = aSubscription()
      billing.balance = aBalance(50, 50)
      return { data: billing.subscription }
    })
    await arrive('&plan=Pro&session_id=cs_test_1')
    expect(await screen.findByRole('heading', { name: 'Pro Plan' })).toBeVisible()
    await waitFor(() => expect(screen.getByText('50.00')).toBeVisible())
    expect(calls.filter((call) => call.startsWith('sync'))).toEqual([
      'sync token-1 {"sessionId":"cs_test_1"}',
    ])
    await waitFor(() => expect(screen.queryByText(CONFIRMING)).not.toBeInTheDocument())
    const before = reads()
    await pass(POLL_FOR_MS)
    expect(reads()).toBe(before)
  })

  it.each([
    ['fails', () => failure(503, 'Not now.')],
    ['never ends', () => new Promise<never>(() => {})],
  ])('polls although the report %s, and stops once the plan is active', async (_how, answer) => {
    onPost('/api/sync-checkout-session', answer)
    await arrive('&session_id=cs_test_1')
    expect(await screen.findByText(CONFIRMING)).toBeVisible()
    await pass(3 * POLL_MS)
    expect(reads()).toBeGreaterThanOrEqual(3)
    billing.subscription = aSubscription()
    billing.balance = aBalance(50, 50)
    await pass(POLL_MS)
    expect(await screen.findByRole('heading', { name: 'Pro Plan' })).toBeVisible()
    expect(await screen.findByText('50.00')).toBeVisible()
    await waitFor(() => expect(screen.queryByText(CONFIRMING)).not.toBeInTheDocument())
    const before = reads()
    await pass(POLL_FOR_MS)
    expect(reads()).toBe(before)
  })

  it('reads the credits once more than the plan, which they may be behind', async () => {
    await arrive('&plan=Pro')
    let creditsRead = () => {}
    const afterCredits = new Promise<void>((resolve) => (creditsRead = resolve))
    onGet('/api/get-subscription', async () => {
      await afterCredits
      return { data: aSubscription() }
    })
    onGet('/api/get-credit-balance', async () => {
      const data = calls.includes('behind') ? aBalance(50, 50) : aBalance(0, 50)
      calls.push('behind')
      creditsRead()
      return { data }
    })
    await pass(POLL_MS)
    expect(await screen.findByRole('heading', { name: 'Pro Plan' })).toBeVisible()
    expect(await screen.findByText('50.00')).toBeVisible()
  })

  it('polls after a switch to yearly, as the monthly subscription is active as well', async () => {
    billing.subscription = aSubscription()
    await arrive('&plan=Pro&interval=year')
    expect(await screen.findByText(CONFIRMING)).toBeVisible()
    expect(screen.queryByText('Your subscription is active!')).not.toBeInTheDocument()
    billing.subscription = aSubscription({ interval: 'year' })
    await pass(POLL_MS)
    expect(await screen.findByText('Your subscription is active!')).toBeVisible()
  })

  it('polls every 2 s for 30 s, then says so', async () => {
    await arrive()
    const start = Date.now()
    const elapsed = () => Date.now() - start
    for (const count of [1, 2, 3]) {
      await pass(count * POLL_MS - 300 - elapsed())
      expect(reads()).toBe(count)
      await pass(600)
      expect(reads()).toBe(count + 1)
    }
    await pass(29_000 - elapsed())
    expect(screen.getByText(CONFIRMING)).toBeVisible()
    await pass(31_000 - elapsed())
    expect(await screen.findByText(/not confirmed yet.*write to support@/)).toBeVisible()
    const before = reads()
    expect(before).toBeGreaterThanOrEqual(15)
    expect(before).toBeLessThanOrEqual(16)
    await pass(POLL_FOR_MS)
    expect(reads()).toBe(before)
  })

  it('stops when the money is on its way, and promises no credits before it is there', async () => {
    await arrive('&plan=Pro')
    billing.subscription = aSubscription({
      status: 'processing',
      due: { amount: 25, currency: 'usd', since: '2026-11-21T12:00:00Z', processing: true },
    })
    await pass(POLL_MS)
    const dialog = await screen.findByRole('dialog', { name: 'Welcome to Pro!' })
    await waitFor(() => expect(dialog).toHaveTextContent('Your payment is on its way.'))
    expect(dialog).toHaveTextContent('Use your credits when the payment has arrived')
    expect(dialog).not.toHaveTextContent(/immediately|all the features/)
    expect(screen.getByText('$25.00 has been on its way', { exact: false })).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByText(CONFIRMING)).not.toBeInTheDocument())
    const before = reads()
    await pass(POLL_FOR_MS)
    expect(reads()).toBe(before)
    expect(screen.queryByText(/not confirmed/)).not.toBeInTheDocument()
  })

  it('stops when the page is left', async () => {
    const { unmount } = await arrive()
    await pass(POLL_MS)
    unmount()
    const before = reads()
    await pass(POLL_FOR_MS)
    expect(reads()).toBe(before)
  })

  it('waits for the plan that was bought, not for the one before', async () => {
    billing.subscription = aSubscription()
    await arrive('&plan=Business')
    expect(await screen.findByText(CONFIRMING)).toBeVisible()
    billing.subscription = aSubscription({
      plan: { name: 'Business', monthly_credits: 100, price_monthly: 50 },
    })
    await pass(POLL_MS)
    expect(await screen.findByRole('heading', { name: 'Business Plan' })).toBeVisible()
    await waitFor(() => expect(screen.queryByText(CONFIRMING)).not.toBeInTheDocument())
  })

  it('has nothing to wait for where the address names no plan and one is active', async () => {
    billing.subscription = aSubscription()
    await arrive()
    const before = reads()
    await pass(POLL_FOR_MS)
    expect(reads()).toBe(before)
    await waitFor(() => expect(screen.queryByText(CONFIRMING)).not.toBeInTheDocument())
  })
})

it('without a payment nothing is polled', async () => {
  visit('/profile')
  renderApp(<ProfileView />, { session: aSession() })
  await screen.findByRole('heading', { name: 'Free Plan' })
  await pass(POLL_FOR_MS)
  expect(reads()).toBe(1)
})
