import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { showAlert } from '@/lib/alert'
import { onProblem } from '@/lib/analytics/problems'
import { leaveTo } from '@/lib/leave'
import { aSubscription, type Billing, onBilling } from '@/testing/billing'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { ProfileView } from '../profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))
vi.mock('@/lib/alert', () => ({ showAlert: vi.fn() }))

const PORTAL = 'https://billing.stripe.test/p/session/1'
const FLAG = 'refreshProfileData'
const FAILED = 'Unable to load subscription management. Please try again.'

let billing: Billing
let reads: number

beforeAll(() => import('../further-cards'))

beforeEach(() => {
  visit('/profile')
  vi.mocked(leaveTo).mockClear()
  vi.mocked(showAlert).mockClear()
  reads = 0
  onGet('/api/auth/devices', () => ({ data: [] }))
  onGet('/api/get-waitlist-status', () => ({ status: null }))
  billing = onBilling({ subscription: aSubscription() })
  onGet('/api/get-subscription', () => {
    reads += 1
    return { data: billing.subscription }
  })
})

afterEach(() => {
  vi.useRealTimers()
})

async function open() {
  renderApp(<ProfileView />, { session: aSession() })
  await screen.findByRole('heading', { name: 'Pro Plan' })
}

const button = (name: string) => screen.getByRole('button', { name })

describe('the way to the portal', () => {
  it.each(['Manage Subscription', 'Invoices'])(
    '%s: asked for once, with the flag',
    async (name) => {
      const asked: unknown[] = []
      onPost('/api/create-portal-session', ({ body, bearer }) => {
        asked.push([bearer, body])
        return { url: PORTAL }
      })
      await open()
      await userEvent.dblClick(button(name))
      await waitFor(() => expect(leaveTo).toHaveBeenCalledExactlyOnceWith(PORTAL))
      const returnUrl = `${location.origin}/profile`
      expect(asked).toEqual([['token-1', { userId: aSession().user.id, returnUrl }]])
      expect(sessionStorage.getItem(FLAG)).toBe('true')
      expect(button(name)).toHaveAttribute('aria-disabled', 'true')
      expect(button(name)).toHaveFocus()
      expect(showAlert).not.toHaveBeenCalled()
    },
  )

  it('is that of an overdue payment as well', async () => {
    billing.subscription = aSubscription({ status: 'past_due' })
    onPost('/api/create-portal-session', () => ({ url: PORTAL }))
    await open()
    await userEvent.click(button('Update Payment Method'))
    await waitFor(() => expect(leaveTo).toHaveBeenCalledWith(PORTAL))
  })

  it.each([
    ['an outage', () => failure(503, 'Payments are not available right now.'), FAILED],
    ['no network', offline, FAILED],
    ['a lost session', () => failure(401, 'Sign in again.'), FAILED],
    ['neither address nor message', () => ({ url: '' }), FAILED],
    ['an address that is none', () => ({ url: 'javascript:alert(1)' }), FAILED],
    ['a refusal for good', () => failure(409, 'We have been told.'), 'We have been told.'],
  ])('that ends in %s is told, and can be tried again', async (_name, answer, text) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const report = vi.fn()
    onTestFinished(onProblem(report))
    onPost('/api/create-portal-session', answer)
    await open()
    await userEvent.click(button('Manage Subscription'))
    await waitFor(() => expect(showAlert).toHaveBeenCalledExactlyOnceWith(text))
    expect(report.mock.calls).toEqual([['portal_failed']])
    await waitFor(() => expect(button('Manage Subscription')).not.toHaveAttribute('aria-disabled'))
    expect(leaveTo).not.toHaveBeenCalled()
    expect(sessionStorage.getItem(FLAG)).toBeNull()
  })

  it('ends at what a demo says', async () => {
    onPost('/api/create-portal-session', () => ({ message: 'This is a demo.' }))
    await open()
    await userEvent.click(button('Manage Subscription'))
    await waitFor(() => expect(showAlert).toHaveBeenCalledOnce())
    const [text] = vi.mocked(showAlert).mock.lastCall!
    expect(text).toMatch(/^This is a demo\.\n/)
    for (const offer of [
      'payment method',
      'Download invoices',
      'Cancel your subscription',
      'billing history',
    ]) {
      expect(text).toContain(offer)
    }
    expect(button('Manage Subscription')).not.toHaveAttribute('aria-disabled')
  })
})

describe('the way back', () => {
  it('reads once more, when what has changed there has had time to arrive', async () => {
    sessionStorage.setItem(FLAG, 'true')
    vi.useFakeTimers({ shouldAdvanceTime: true })
    await open()
    billing.subscription = aSubscription({ status: 'cancelled' })
    await act(() => vi.advanceTimersByTimeAsync(2000))
    expect(await screen.findByText('Cancelled')).toBeVisible()
    expect(sessionStorage.getItem(FLAG)).toBeNull()
    const before = reads
    expect(before).toBe(2)
    await act(() => vi.advanceTimersByTimeAsync(20_000))
    expect(reads).toBe(before)
  })

  it('reads once for a page that the browser had kept', async () => {
    onPost('/api/create-portal-session', () => ({ url: PORTAL }))
    await open()
    await userEvent.click(button('Manage Subscription'))
    await waitFor(() => expect(leaveTo).toHaveBeenCalled())
    billing.subscription = aSubscription({ status: 'cancelled' })
    const restored = () =>
      fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }))
    restored()
    expect(await screen.findByText('Cancelled')).toBeVisible()
    expect(button('Resubscribe')).toBeVisible()
    restored()
    expect(sessionStorage.getItem(FLAG)).toBeNull()
    expect(reads).toBe(2)
  })

  it('works in a browser that keeps nothing', async () => {
    vi.spyOn(Storage.prototype, 'getItem').mockImplementation(() => {
      throw new DOMException('denied', 'SecurityError')
    })
    await open()
    expect(button('Manage Subscription')).toBeVisible()
  })
})
