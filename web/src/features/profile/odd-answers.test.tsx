import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { http, HttpResponse } from 'msw'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { aBalance, aSubscription, onBilling } from '@/testing/billing'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { onGet, server } from '@/testing/server'
import { aSession } from '@/testing/session'
import { ProfileView } from './profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

function allIsWell() {
  onBilling({ subscription: aSubscription(), balance: aBalance(50, 50) })
  onGet('/api/auth/devices', () => ({ data: [] }))
  onGet('/api/get-waitlist-status', () => ({ status: 'pending' as const }))
}

/** Lets `path` answer with success and anything at all. */
function answers(path: string, body: unknown) {
  server.use(http.get(`*${path}`, () => HttpResponse.json(body as object)))
}

const odd = [null, {}, [], 'text', 7, { data: 'text' }, { data: [null] }, { data: [{ id: 1 }] }]
const oddCases = (path: string, text: string, ...more: unknown[]) =>
  [...odd, ...more].map((body) => [path, body, text] as const)

// What is loaded on demand may take its time on a busy machine.
beforeAll(() => import('./further-cards'))

beforeEach(() => {
  visit('/profile')
  allIsWell()
})

const open = async () => {
  renderApp(<ProfileView />, { session: aSession() })
  await screen.findByRole('heading', { name: 'Profile' })
}

describe('an answer of an unexpected shape is the failure of its card', () => {
  it.each([
    ...oddCases('/api/get-subscription', 'Your plan could not be loaded.', {
      data: { ...aSubscription(), plan: null },
    }),
    ...oddCases('/api/get-credit-balance', 'Your credits could not be loaded.', {
      data: { credit_balance: '1', credit_max: 2 },
    }),
    ...oddCases('/api/auth/devices', 'Your devices could not be loaded.', { data: null }),
  ])('%s %j', async (path, body, text) => {
    answers(path, body)
    await open()
    const alert = await screen.findByText(text)
    // The rest of the page lives.
    expect(await screen.findByText('Your waitlist application is pending approval.')).toBeVisible()
    expect(screen.getAllByRole('alert')).toEqual([alert])
    expect(within(screen.getByRole('main')).getAllByRole('region')).toHaveLength(7)

    allIsWell()
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
    expect(screen.getByRole('heading', { name: 'Pro Plan' })).toBeVisible()
    expect(screen.getByText('50.00')).toBeVisible()
  })

  it.each(oddCases('/api/get-token-balance', '', { data: { used: '1', held: null } }))(
    'and takes nothing from a card that can do without it: %s %j',
    async (path, body) => {
      answers(path, body)
      await open()
      expect(await screen.findByText('50.00')).toBeVisible()
      expect(screen.queryByRole('alert')).not.toBeInTheDocument()
    },
  )

  it.each([
    ...oddCases('/api/get-plans', 'The plans could not be loaded.', { data: null }),
    ...oddCases('/api/get-credit-history', 'Your credit history could not be loaded.'),
  ])('or of its dialog: %s %j', async (path, body, text) => {
    answers(path, body)
    await open()
    const name = path === '/api/get-plans' ? 'Change Plan' : 'View Details'
    await userEvent.click(await screen.findByRole('button', { name }))
    const dialog = within(await screen.findByRole('dialog'))
    expect(await dialog.findByRole('alert')).toHaveTextContent(text)
    // The page has asked for the plans before: the dialog may find that failure, and ask again at once.
    expect(await dialog.findByRole('button', { name: 'Try again' })).toBeVisible()
    expect(screen.getByText('50.00')).toBeInTheDocument()
  })
})

it('values of a newer server are shown as they are', async () => {
  onBilling({
    subscription: aSubscription({
      status: 'on_probation',
      plan: { name: 'galaxy', monthly_credits: 1, price_monthly: 1 },
    }),
  })
  answers('/api/auth/devices', {
    data: [
      {
        id: '1',
        kind: 'vision_pro',
        name: '',
        user_agent: '',
        last_active_at: 'soon',
        current: false,
      },
    ],
  })
  answers('/api/get-credit-history', {
    data: [{ id: '1', time: 'soon', kind: 'gift', amount: 1, balance_after: 1, description: null }],
    nextCursor: null,
    days: [{ day: 7 }],
  })
  await open()
  expect(await screen.findByRole('heading', { name: 'Galaxy Plan' })).toBeVisible()
  expect(screen.getByText('on_probation')).toBeVisible()
  expect(await screen.findByText('Vision pro')).toBeVisible()
  expect(screen.getByText('Active at an unknown time')).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'View Details' }))
  expect(await screen.findByText('gift')).toBeVisible()
})
