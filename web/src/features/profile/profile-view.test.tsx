import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { AppHeader } from '@/components/app/app-header'
import { AccountMenu } from '@/features/session/account-menu'
import type { Session } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { aBalance, aSubscription, onBilling } from '@/testing/billing'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost, unanswered } from '@/testing/server'
import { aSession, managerBesideTab, managerOf } from '@/testing/session'
import { ProfileView } from './profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const page = (
  <>
    <AppHeader account={<AccountMenu />} />
    <ProfileView />
  </>
)

// What is loaded on demand may take its time on a busy machine.
beforeAll(() => Promise.all([import('./further-cards'), import('./paywall/plans')]))

beforeEach(() => {
  visit('/profile')
  onGet('/api/auth/devices', () => ({ data: [] }))
  onGet('/api/get-waitlist-status', () => ({ status: null }))
  onBilling()
  router.replace.mockClear()
})

const card = (name: string) => within(screen.getByRole('region', { name }))
const address = () => window.location.pathname + window.location.search + window.location.hash

describe('/profile', () => {
  it('waits for the person to be known', () => {
    renderApp(page, { manager: managerOf(null, { read: () => new Promise(() => {}) }) })
    expect(screen.getByText('Loading...')).toBeVisible()
    expect(router.replace).not.toHaveBeenCalled()
  })

  it('sends a signed-out visitor home', async () => {
    renderApp(page)
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
  })

  it('has the shape of what is on its way', async () => {
    onGet('/api/get-subscription', unanswered)
    onGet('/api/get-credit-balance', unanswered)
    const { container } = renderApp(page, { session: aSession() })
    for (const text of ['Loading your plan...', 'Loading your credits...']) {
      expect(await screen.findByText(text)).toHaveAttribute('role', 'status')
    }
    for (const name of ['Your plan', 'Credits Remaining']) {
      const card = within(screen.getByRole('region', { name }))
      expect(await card.findByText('Still trying…')).toBeVisible()
    }
    expect(await violations(container)).toEqual([])
  })

  it('closes what one person has opened when another signs in elsewhere', async () => {
    const { manager, signInElsewhere } = managerBesideTab(aSession())
    renderApp(<ProfileView />, { manager })
    await userEvent.click(await screen.findByRole('button', { name: 'Delete account' }))
    expect(screen.getByRole('dialog', { name: 'Delete your account?' })).toBeVisible()
    const { user } = aSession()
    act(() => signInElsewhere(aSession({ user: { ...user, id: 'ann', email: 'ann@fledge.test' } })))
    expect(await screen.findByText('ann@fledge.test')).toBeVisible()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('has room for further cards', async () => {
    renderApp(
      <ProfileView>
        <p>More</p>
      </ProfileView>,
      { session: aSession() },
    )
    expect(await screen.findByText('More')).toBeVisible()
  })
})

describe('the plan card', () => {
  it('shows the free plan', async () => {
    const { container } = renderApp(page, { session: aSession() })
    expect(await screen.findByRole('heading', { name: 'Free Plan' })).toBeVisible()
    expect(
      screen.getByText('Basic features and limited access. Upgrade to unlock more capabilities.'),
    ).toBeVisible()
    const names = card('Free Plan').getAllByRole('button')
    expect(names.map((button) => button.textContent)).toEqual(['Upgrade Plan'])
    await screen.findByRole('button', { name: 'Account menu' })
    expect(await violations(container)).toEqual([])
  })

  it.each([
    [
      'active',
      'Active',
      'Next billing date: December 21, 2026',
      ['Change Plan', 'Manage Subscription', 'Invoices'],
    ],
    [
      'cancelled',
      'Cancelled',
      'Subscription is active until December 21, 2026',
      ['Resubscribe', 'Invoices'],
    ],
    ['past_due', 'Payment overdue', null, ['Update Payment Method', 'Invoices']],
    ['paused', 'paused', null, ['Invoices']],
  ])('shows a plan that is %s', async (status, badge, billing, buttons) => {
    onBilling({ subscription: aSubscription({ status }), balance: aBalance(50, 50) })
    const { container } = renderApp(page, { session: aSession() })
    await screen.findByRole('heading', { name: 'Pro Plan' })
    const plan = card('Pro Plan')
    expect(plan.getByText(badge)).toBeVisible()
    expect(plan.getByText('50 credits per month')).toBeVisible()
    if (billing) expect(plan.getByText(billing)).toBeVisible()
    else expect(plan.queryByText(/billing date|until/)).not.toBeInTheDocument()
    expect(plan.getAllByRole('button').map((button) => button.textContent)).toEqual(buttons)
    expect(await violations(container)).toEqual([])
  })

  it('leads those to their invoices whose plan has ended', async () => {
    onBilling({ balance: aBalance(0, 0), hasPortal: true })
    renderApp(page, { session: aSession() })
    expect(await screen.findByRole('button', { name: 'Invoices' })).toBeVisible()
  })

  it('leads nobody to invoices who has credits and never ordered anything', async () => {
    onBilling({ balance: aBalance(5, 5) })
    renderApp(page, { session: aSession() })
    expect(await screen.findByRole('button', { name: 'Upgrade Plan' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Invoices' })).not.toBeInTheDocument()
  })

  it('says that it could not be loaded, and can be tried again', async () => {
    onGet('/api/get-subscription', () => failure(403, 'This is not yours to see.'))
    const { container } = renderApp(page, { session: aSession() })
    expect(await screen.findByRole('alert')).toHaveTextContent('This is not yours to see.')
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Upgrade Plan' })).not.toBeInTheDocument(),
    )
    expect(await violations(container)).toEqual([])
    onBilling({ subscription: aSubscription() })
    await userEvent.click(card('Your plan').getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: 'Pro Plan' })).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
  })
})

describe('reading', () => {
  it('goes on by itself after an outage', async () => {
    let outage = 2
    onGet('/api/get-subscription', () =>
      outage-- > 0 ? failure(503, 'Not now.') : { data: aSubscription() },
    )
    renderApp(page, { session: aSession() })
    expect(await screen.findByRole('heading', { name: 'Pro Plan' })).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
  })

  it('ends at home when the session has ended', async () => {
    let session: Session | null = aSession()
    onGet('/api/get-subscription', () => {
      session = null
      return failure(401, 'Please sign in.')
    })
    renderApp(page, { manager: managerOf(null, { read: async () => session }) })
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
  })

  it('keeps what it has when it cannot be read again', async () => {
    onBilling({ subscription: aSubscription() })
    renderApp(page, { session: aSession() })
    await screen.findByRole('heading', { name: 'Pro Plan' })
    onGet('/api/get-subscription', () => failure(403, 'No.'))
    onPost('/api/create-checkout-session', () => failure(409, 'You already have this plan.'))
    const told = vi.spyOn(window, 'alert').mockImplementation(() => {})
    vi.spyOn(console, 'error').mockImplementation(() => {})
    await userEvent.click(screen.getByRole('button', { name: 'Change Plan' }))
    const business = await screen.findByRole('listitem', { name: 'Business' })
    await userEvent.click(within(business).getByRole('button', { name: 'Upgrade' }))
    await waitFor(() => expect(told).toHaveBeenCalledWith('You already have this plan.'))
    await waitFor(() => expect(card('Pro Plan').getByText('Active')).toBeVisible())
    expect(screen.getByRole('heading', { name: 'Pro Plan' })).toBeVisible()
  })
})

describe('the credits card', () => {
  it('shows what is left of how much', async () => {
    onBilling({
      subscription: aSubscription(),
      balance: aBalance(12.34, 50),
      credits: { granted: 50, used: 34.66, held: 3, balance: 12.34, period_end: null },
    })
    renderApp(page, { session: aSession() })
    const bar = await screen.findByRole('progressbar', { name: 'Credits Remaining' })
    const credits = card('Credits Remaining')
    expect(credits.getByText(/12\.34/).closest('p')).toHaveTextContent('12.34 / 50')
    expect(bar).toHaveAttribute('aria-valuenow', '24')
    expect(
      await credits.findByText('34.66 used · 3.00 set aside for work in progress'),
    ).toBeVisible()
    await waitFor(() => expect(credits.queryByText('Running low')).not.toBeInTheDocument())
  })

  it('tells what of it ends when', async () => {
    const endings = [
      { at: '2026-12-01T00:00:00Z', amount: 5 },
      { at: '2026-12-24T12:00:00Z', amount: 7.34 },
      { at: '2027-02-01T00:00:00Z', amount: 1 },
      { at: '2027-03-01T00:00:00Z', amount: 1000 },
      { at: '2027-04-01T00:00:00Z', amount: 0.5 },
    ]
    const credits = { granted: 50, used: 36.16, held: 0, balance: 13.84, period_end: null, endings }
    onBilling({ subscription: aSubscription(), balance: aBalance(13.84, 50), credits })
    const { container } = renderApp(page, { session: aSession() })
    const list = await screen.findByRole('list', { name: 'When your credits end' })
    expect(
      within(list)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual([
      '5.00 until December 1, 2026',
      '7.34 until December 24, 2026',
      '1.00 until February 1, 2027',
      '1,000.50 for longer',
    ])
    expect(await violations(container)).toEqual([])
  })

  it.each([
    [aBalance(9.99, 50), '9.99 / 50', 'Running low'],
    [aBalance(0, 50), '0.00 / 50', 'None left'],
    [aBalance(25, 50), '25.00 / 50', null],
    [null, '0.00 / 50', 'No credits yet'],
  ])('of %j', async (balance, text, word) => {
    onBilling({ subscription: aSubscription(), balance })
    renderApp(page, { session: aSession() })
    await screen.findByRole('progressbar')
    const credits = card('Credits Remaining')
    expect(credits.getByText(/^\d+\.\d\d$/).closest('p')).toHaveTextContent(text)
    if (word) expect(credits.getByText(word)).toBeVisible()
    else expect(credits.queryByText(/Running low|None left|No credits yet/)).not.toBeInTheDocument()
  })

  it('falls back to 100 on the free plan', async () => {
    renderApp(page, { session: aSession() })
    expect((await screen.findByText('0.00')).closest('p')).toHaveTextContent('0.00 / 100')
    expect(screen.getByText('No credits yet')).toBeVisible()
    expect(screen.queryByText('0%')).not.toBeInTheDocument()
  })

  it('does not claim that credits were used which were taken back', async () => {
    onBilling({
      balance: aBalance(0, 50),
      credits: { granted: 0, used: 0, held: 0, balance: 0, period_end: null },
    })
    renderApp(page, { session: aSession() })
    expect(await screen.findByText('· 0.00 used')).toBeVisible()
    expect(screen.getByText('None left')).toBeVisible()
    expect(screen.queryByText(/Used up/)).not.toBeInTheDocument()
  })

  it('says that it could not be loaded, and can be tried again', async () => {
    onGet('/api/get-credit-balance', () => failure(403, ''))
    renderApp(page, { session: aSession() })
    expect(await screen.findByRole('alert')).toHaveTextContent('Your credits could not be loaded.')
    onBilling({ balance: aBalance(1, 2) })
    await userEvent.click(await screen.findByRole('button', { name: 'Try again' }))
    expect((await screen.findByText('1.00')).closest('p')).toHaveTextContent('1.00 / 2')
  })
})

describe('the closed beta card', () => {
  it.each([
    ['pending', 'Your waitlist application is pending approval.', 'Check your access'],
    ['rejected', 'Your waitlist application is under review.', 'Check your access'],
    ['approved', "You're in: Fledge for Mac is ready for you.", 'Download Fledge'],
    [null, "You're not on the waitlist yet. Join it to get Fledge for Mac.", 'Join the waitlist'],
  ] as const)('of somebody who is %s says so', async (status, text, action) => {
    onGet('/api/get-waitlist-status', () => ({ status }))
    const { container } = renderApp(page, { session: aSession() })
    expect(await screen.findByText(text)).toBeVisible()
    const beta = card('Closed beta')
    expect(beta.getByRole('link', { name: action })).toHaveAttribute('href', '/closed-beta')
    expect(await violations(container)).toEqual([])
  })

  it('leads to the page where the state is not known', async () => {
    onGet('/api/get-waitlist-status', () => failure(403, 'No.'))
    renderApp(page, { session: aSession() })
    expect(await screen.findByRole('link', { name: 'Check your access' })).toBeVisible()
    expect(card('Closed beta').getByText(/See whether your place is ready/)).toBeVisible()
    expect(screen.queryByRole('alert')).not.toBeInTheDocument()
  })
})

describe('the address of /profile', () => {
  it.each([
    ['/profile?paywall=true', '/profile'],
    ['/profile?a=1&paywall=true', '/profile?a=1'],
    ['/profile#upgrade', '/profile'],
  ])('%s opens the plans and becomes %s', async (given, left) => {
    visit(given)
    renderApp(page, { session: aSession() })
    expect(await screen.findByRole('dialog', { name: 'Choose your plan' })).toBeVisible()
    expect(address()).toBe(left)
  })

  it('opens the plans for a link on the page as well', async () => {
    renderApp(page, { session: aSession() })
    await screen.findByRole('heading', { name: 'Free Plan' })
    window.location.hash = '#upgrade'
    expect(await screen.findByRole('dialog', { name: 'Choose your plan' })).toBeVisible()
    expect(address()).toBe('/profile')
  })

  it.each([
    ['/profile?a=1#beta', '/profile?a=1#beta'],
    ['/profile?canceled=true', '/profile'],
    ['/profile?success=true&plan=Plan', '/profile'],
    ['/profile?success=true&plan=', '/profile'],
  ])('%s becomes %s and opens nothing', async (given, left) => {
    visit(given)
    renderApp(page, { session: aSession() })
    await screen.findByRole('heading', { name: 'Free Plan' })
    expect(address()).toBe(left)
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })
})

describe('the account menu', () => {
  beforeEach(() => onGet('/api/is-admin', () => ({ isAdmin: false, isModerator: false })))

  async function openMenu(manager = managerOf(aSession())) {
    renderApp(page, { manager })
    const avatar = await screen.findByRole('button', { name: 'Account menu' })
    await waitFor(() => expect(avatar).toHaveTextContent('J'))
    await userEvent.click(screen.getByRole('button', { name: 'Account menu' }))
    const signOut = await screen.findByRole('menuitem', { name: 'Sign out' })
    // Keys go to the menu from here on.
    await waitFor(() =>
      expect(screen.getByRole('menu')).toContainElement(document.activeElement as HTMLElement),
    )
    return signOut
  }

  // Enter takes the item that is highlighted, and the menu highlights after the key's event.
  async function signOutByKeyboard(manager = managerOf(aSession())) {
    const signOut = await openMenu(manager)
    await userEvent.keyboard('{ArrowDown}')
    await waitFor(() => expect(signOut).toHaveAttribute('data-highlighted'))
    await userEvent.keyboard('{Enter}')
  }

  it('names the person', async () => {
    await openMenu()
    const menu = screen.getByRole('menu')
    expect(menu).toHaveTextContent('Signed in as')
    expect(menu).toHaveTextContent('jane@fledge.test')
    expect(await violations(menu)).toEqual([])
  })

  it('signs out and goes home, by keyboard', async () => {
    const end = vi.fn(async () => {})
    await signOutByKeyboard(managerOf(aSession(), { end }))
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
    expect(end).toHaveBeenCalledWith('token-1', 'device')
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Account menu' })).not.toBeInTheDocument(),
    )
  })

  it('only logs that signing out failed', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const down = new Error('down')
    await signOutByKeyboard(managerOf(aSession(), { end: () => Promise.reject(down) }))
    await waitFor(() => expect(log).toHaveBeenCalledWith('Sign-out failed', down))
    expect(router.replace).not.toHaveBeenCalled()
  })
})
