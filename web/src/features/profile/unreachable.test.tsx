import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { aSubscription, onBilling } from '@/testing/billing'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { ProfileView } from './profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

beforeAll(() => import('./further-cards'))
beforeEach(() => {
  onGet('/api/auth/devices', () => ({ data: [] }))
  onBilling({ subscription: aSubscription() })
  router.replace.mockClear()
})
afterEach(() => void vi.useRealTimers())

const RETURN = '/profile?success=true&plan=Pro&tokens=50&price=%2425&session_id=cs_1'

it('the return from a checkout waits for the server, and then leads to the welcome', async () => {
  const synced: unknown[] = []
  onPost('/api/sync-checkout-session', ({ body }) => {
    synced.push(body)
    return { data: aSubscription() }
  })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  visit(RETURN)
  const read = vi.fn<() => Promise<ReturnType<typeof aSession> | null>>()
  read.mockRejectedValue(new Error('503'))
  const { container } = renderApp(<ProfileView />, { manager: managerOf(null, { read }) })
  await act(() => vi.advanceTimersByTimeAsync(1540))
  vi.useRealTimers()
  expect(screen.getByRole('heading', { name: "We can't reach the server" })).toHaveFocus()
  expect(router.replace).not.toHaveBeenCalled()
  expect(window.location.pathname + window.location.search).toBe(RETURN)
  expect(await violations(container)).toEqual([])

  let answer: (session: ReturnType<typeof aSession>) => void = () => {}
  read.mockReturnValue(new Promise((resolve) => (answer = resolve)))
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  const trying = screen.getByRole('button', { name: 'Retrying...' })
  expect(trying).toHaveAttribute('aria-disabled', 'true')
  const tries = read.mock.calls.length
  fireEvent.click(trying)
  expect(read).toHaveBeenCalledTimes(tries)

  answer(aSession())
  const welcome = await screen.findByRole('dialog', { name: 'Welcome to Pro!' })
  expect(await within(welcome).findByText('$25')).toBeVisible()
  expect(window.location.pathname + window.location.search).toBe('/profile')
  await waitFor(() => expect(synced).toEqual([{ sessionId: 'cs_1' }]))
})

it('a profile that comes back as it was left is left again once nobody is signed in', async () => {
  visit('/profile')
  renderApp(<ProfileView />)
  await waitFor(() => expect(router.replace).toHaveBeenCalledTimes(1))
  act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  expect(router.replace.mock.calls).toEqual([['/'], ['/']])
})

it('a profile whose session ended meanwhile is left when it comes back', async () => {
  visit('/profile')
  const answers = [aSession(), null]
  const read = async () => answers.shift() ?? null
  renderApp(<ProfileView />, { manager: managerOf(null, { read }) })
  await screen.findByRole('heading', { name: 'Pro Plan' })
  act(() => void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
  await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
  expect(screen.queryByRole('heading', { name: 'Pro Plan' })).not.toBeInTheDocument()
})
