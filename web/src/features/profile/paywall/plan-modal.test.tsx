import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { useAuth } from '@/features/session/use-auth'
import type { Plan } from '@/lib/api/types'
import { showAlert } from '@/lib/alert'
import { onProblem } from '@/lib/analytics/problems'
import { leaveTo } from '@/lib/leave'
import { violations } from '@/testing/axe'
import { aSubscription, onBilling, plans } from '@/testing/billing'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost, unanswered } from '@/testing/server'
import { aSession } from '@/testing/session'
import { PlanModal } from './plan-modal'

vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))
vi.mock('@/lib/alert', () => ({ showAlert: vi.fn() }))

const CHECKOUT = 'https://checkout.stripe.test/c/pay/cs_test_1'
const FAILED = 'Failed to redirect to checkout. Please try again.'

let asked: unknown[]
const closed = vi.fn()

beforeEach(() => {
  vi.mocked(leaveTo).mockClear()
  vi.mocked(showAlert).mockClear()
  closed.mockClear()
  asked = []
  onBilling()
  onPost('/api/create-checkout-session', ({ body, bearer }) => {
    asked.push([bearer, body])
    return { sessionId: 'cs_test_1', url: CHECKOUT }
  })
})

/** As on the profile: only whoever is signed in sees it. */
function SignedIn() {
  return useAuth().user && <PlanModal onClose={closed} />
}

async function open() {
  const result = renderApp(<SignedIn />, { session: aSession() })
  await screen.findByRole('heading', { name: 'Pro' })
  return result
}

const offer = (name: string) => within(screen.getByRole('listitem', { name }))
const button = (plan: string) =>
  offer(plan).getByRole('button', { name: /^(Upgrade|Resubscribe|Processing)/ })

describe('how often to pay', () => {
  it('is no choice where all plans are sold by the month', async () => {
    await open()
    expect(screen.queryByRole('group', { name: 'Pay' })).not.toBeInTheDocument()
  })

  it('is a choice where one is sold by the year, too', async () => {
    const [pro, ...others] = plans as [Plan, ...Plan[]]
    const annual = { priceId: 'price_year', price: 250 }
    onBilling({ plans: [{ ...pro, annual }, ...others] })
    const { container } = await open()
    const choice = within(screen.getByRole('group', { name: 'Pay' }))
    expect(choice.getByRole('button', { name: 'Monthly', pressed: true })).toBeVisible()
    expect(offer('Pro').getByText('$25')).toBeVisible()
    await userEvent.click(choice.getByRole('button', { name: 'Yearly', pressed: false }))
    expect(offer('Pro').getByText('$250')).toBeVisible()
    expect(offer('Pro').getByText('600 credits per year')).toBeVisible()
    expect(await violations(container)).toEqual([])
    await userEvent.click(button('Pro'))
    await waitFor(() => expect(leaveTo).toHaveBeenCalledWith(CHECKOUT))
    expect(asked).toEqual([
      [
        'token-1',
        expect.objectContaining({
          priceId: 'price_year',
          successUrl: expect.stringContaining('tokens=600&price=%24250&interval=year') as string,
        }),
      ],
    ])
  })
})

describe('the plans', () => {
  it('stand side by side', async () => {
    const { container } = await open()
    const dialog = screen.getByRole('dialog', { name: 'Choose your plan' })
    expect(offer('Pro').getByText('$25')).toBeVisible()
    expect(offer('Pro').getByText('50 credits per month')).toBeVisible()
    expect(offer('Pro').getByText('Swift UI support')).toBeVisible()
    await waitFor(() =>
      expect(offer('Business').getByRole('button', { name: 'Upgrade' })).toBeEnabled(),
    )
    expect(offer('Enterprise').getByText('Flexible billing')).toBeVisible()
    expect(dialog).toHaveTextContent('Everything you need to turn your idea into an app.')
    expect(await violations(container)).toEqual([])
  })

  it('lead to sales for Enterprise', async () => {
    await open()
    const demo = offer('Enterprise').getByRole('link', { name: 'Book a demo' })
    expect(demo).toHaveAttribute('href', 'mailto:sales@fledge.example?subject=Fledge%20Enterprise')
  })

  it('explain a feature on demand', async () => {
    await open()
    const more = screen.getByRole('button', { name: 'More about AI Design System' })
    const text = screen.getByText('Screens share colours, type and components from the start.')
    expect(text).not.toBeVisible()
    await userEvent.click(more)
    expect(text).toBeVisible()
    expect(more).toHaveAttribute('aria-expanded', 'true')
  })

  it('are on their way', async () => {
    onGet('/api/get-plans', unanswered)
    renderApp(<SignedIn />, { session: aSession() })
    expect(await screen.findByText('Loading plans...')).toHaveAttribute('role', 'status')
    expect(await violations(await screen.findByRole('dialog'))).toEqual([])
  })

  it('could not be loaded, and are asked for again', async () => {
    onGet('/api/get-plans', () => failure(403, ''))
    renderApp(<SignedIn />, { session: aSession() })
    expect(await screen.findByRole('alert')).toHaveTextContent('The plans could not be loaded.')
    onBilling()
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: 'Pro' })).toBeVisible()
  })

  it.each([
    ['active', 'Active', 'Current Plan', false],
    ['cancelled', 'Cancelled', 'Resubscribe', true],
    ['past_due', 'Payment overdue', 'Current Plan', false],
  ])('mark the one that is %s', async (status, badge, label, enabled) => {
    onBilling({ subscription: aSubscription({ status }) })
    const { container } = await open()
    expect(offer('Pro').getByText(badge)).toBeVisible()
    const action = offer('Pro').getByRole('button', { name: label })
    expect(action.hasAttribute('disabled')).toBe(!enabled)
    await waitFor(() => {
      const other = offer('Business').getByRole('button', { name: 'Upgrade' })
      expect(other.hasAttribute('disabled')).toBe(status !== 'active')
    })
    expect(await violations(container)).toEqual([])
  })

  it('cannot be bought without a price', async () => {
    const unsold = (plan: Plan): Plan => ({ ...plan, productId: null, priceId: null })
    onBilling({ plans: plans.map(unsold) })
    await open()
    for (const name of ['Pro', 'Business']) {
      await waitFor(() =>
        expect(offer(name).getByRole('button', { name: 'Upgrade' })).toBeDisabled(),
      )
      expect(offer(name).getByText('Not available right now')).toBeVisible()
    }
  })

  it('are closed by a button', async () => {
    await open()
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    expect(closed).toHaveBeenCalledOnce()
  })
})

describe('a checkout', () => {
  it('is asked for once, and left for', async () => {
    await open()
    await userEvent.dblClick(button('Pro'))
    await waitFor(() => expect(leaveTo).toHaveBeenCalledExactlyOnceWith(CHECKOUT))
    const profile = `${location.origin}/profile`
    const bought = 'success=true&plan=Pro&tokens=50&price=%2425'
    expect(asked).toEqual([
      [
        'token-1',
        {
          productId: 'prod_pro',
          priceId: 'price_pro',
          successUrl: `${profile}?${bought}&session_id={CHECKOUT_SESSION_ID}`,
          cancelUrl: `${profile}?canceled=true`,
          userId: aSession().user.id,
        },
      ],
    ])
    expect(showAlert).not.toHaveBeenCalled()
  })

  it('shows that it starts, until the page is shown again', async () => {
    await open()
    await userEvent.click(button('Business'))
    expect(button('Business')).toHaveTextContent('Processing...')
    expect(button('Business')).toHaveAttribute('aria-busy', 'true')
    expect(button('Business')).toHaveFocus()
    expect(button('Pro')).toHaveAttribute('aria-disabled', 'true')
    await waitFor(() => expect(leaveTo).toHaveBeenCalled())
    expect(button('Business')).toHaveTextContent('Processing...')
    fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }))
    expect(button('Business')).toHaveTextContent('Upgrade')
    expect(button('Pro')).not.toHaveAttribute('aria-disabled')
  })

  it.each([
    ['an outage', () => failure(503, 'Payments are not available right now.'), FAILED],
    ['no network', offline, FAILED],
    ['a refusal', () => failure(403, 'No.'), FAILED],
    ['no address', () => ({ sessionId: 'cs_test_1', url: '' }), FAILED],
    [
      'an address that is none',
      () => ({ sessionId: 'cs_test_1', url: 'javascript:alert(1)' }),
      FAILED,
    ],
    ['a lost session', () => failure(401, 'No.'), 'Please sign in to upgrade your plan'],
    [
      'a conflict',
      () => failure(409, 'You already have this plan.'),
      'You already have this plan.',
    ],
  ])('that ends in %s is told, and can be tried again', async (_name, answer, text) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const report = vi.fn()
    onTestFinished(onProblem(report))
    let tries = 0
    onPost('/api/create-checkout-session', () => {
      tries += 1
      return answer()
    })
    await open()
    await userEvent.click(button('Pro'))
    await waitFor(() => expect(showAlert).toHaveBeenCalledExactlyOnceWith(text))
    expect(report.mock.calls).toEqual([['checkout_failed']])
    expect(log).toHaveBeenCalledOnce()
    expect(leaveTo).not.toHaveBeenCalled()
    await waitFor(() => expect(button('Pro')).not.toHaveAttribute('aria-disabled'))
    // A write is never repeated by itself; a refused bearer is, once it has been renewed.
    expect(tries).toBe(text.startsWith('Please sign in') ? 2 : 1)
  })
})
