import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { deletionNotice } from '@/features/session/deletion-notice'
import { SessionManager } from '@/features/session/session-manager'
import { leaveTo } from '@/lib/leave'
import { violations } from '@/testing/axe'
import { aBalance, aSubscription, onBilling } from '@/testing/billing'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost, refusal } from '@/testing/server'
import { aloneTab, aSession, managerOf } from '@/testing/session'
import { ProfileView } from '../profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))

const ERASE_AT = '2026-12-03T12:00:00Z'

// What is loaded on demand may take its time on a busy machine.
beforeAll(() => Promise.all([import('../further-cards'), import('./deletion')]))

let calls: unknown[]

beforeEach(() => {
  visit('/profile')
  router.replace.mockClear()
  vi.mocked(leaveTo).mockClear()
  // jsdom lays nothing out, and does not scroll.
  Element.prototype.scrollIntoView = vi.fn()
  calls = []
  onGet('/api/auth/devices', () => ({ data: [] }))
  onGet('/api/get-waitlist-status', () => ({ status: null }))
  onGet('/api/get-my-support-tickets', () => ({ data: [], nextCursor: null }))
  onBilling()
  onDelete(() => HttpResponse.json({ eraseAt: ERASE_AT }, { status: 202 }))
})

/** How the server answers to the deletion. */
function onDelete(answer: () => Response | Promise<Response>) {
  onPost('/api/auth/delete-account', ({ bearer, body }) => {
    calls.push([bearer, body])
    return answer()
  })
}

const region = () => screen.findByRole('region', { name: 'Delete account' })
const dialog = () => within(screen.getByRole('dialog', { name: 'Delete your account?' }))
const field = () => dialog().findByRole('textbox', { name: 'Type DELETE to confirm' })

/** Opens the question with the button at the end of the profile. */
async function ask(manager = managerOf(aSession())) {
  renderApp(<ProfileView />, { manager })
  const asker = within(await region()).getByRole('button', { name: 'Delete account' })
  await userEvent.click(asker)
  await field()
  return asker
}

async function confirm() {
  await userEvent.type(await field(), 'DELETE')
  await userEvent.click(dialog().getByRole('button', { name: 'Delete my account' }))
}

describe('the question', () => {
  it('says whose account it is and what happens to what they have', async () => {
    onBilling({ subscription: aSubscription(), balance: aBalance(12.5, 50) })
    await ask()
    const element = screen.getByRole('dialog', { name: 'Delete your account?' })
    expect(element).toHaveAccessibleDescription(/^This is the account of jane@fledge\.test/)
    expect(dialog().getByText(/Your Pro plan stops renewing\./)).toBeVisible()
    expect(await dialog().findByText(/Your 12\.50 credits,/)).toBeVisible()
    // What a translator of the browser's changed, nobody could type.
    expect(dialog().getByText('DELETE')).toHaveAttribute('translate', 'no')
    expect(await violations(element)).toEqual([])
  })

  it('does without what could not be loaded', async () => {
    onGet('/api/get-subscription', () => failure(403, 'No.'))
    onGet('/api/get-my-support-tickets', () => failure(403, 'No.'))
    await ask()
    expect(dialog().getByText(/A paid plan stops renewing\./)).toBeVisible()
    expect(dialog().queryByRole('alert')).not.toBeInTheDocument()
  })

  it('does nothing before the word is typed', async () => {
    await ask()
    const button = dialog().getByRole('button', { name: 'Delete my account' })
    expect(button).toBeDisabled()
    await userEvent.type(await field(), 'DELET{Enter}')
    expect(button).toBeDisabled()
    await userEvent.clear(await field())
    await userEvent.type(await field(), ' delete ')
    expect(button).toBeEnabled()
    expect(calls).toEqual([])
  })

  it('gives the focus back when the account is kept', async () => {
    const asker = await ask()
    await userEvent.click(dialog().getByRole('button', { name: 'Keep my account' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    await waitFor(() => expect(asker).toHaveFocus())
    expect(calls).toEqual([])
  })
})

describe('an address that asks it', () => {
  it('opens it once, and leaves the keyboard at the button', async () => {
    visit('/profile#delete-account')
    renderApp(<ProfileView />, { session: aSession() })
    await screen.findByRole('dialog', { name: 'Delete your account?' })
    const card = await region()
    expect(vi.mocked(card.scrollIntoView).mock.contexts).toContain(card)
    expect(window.location.hash).toBe('')
    await userEvent.click(await dialog().findByRole('button', { name: 'Keep my account' }))
    const asker = within(await region()).getByRole('button', { name: 'Delete account' })
    await waitFor(() => expect(asker).toHaveFocus())
  })

  it('has whoever is signed out sign in first', async () => {
    visit('/profile#delete-account')
    renderApp(<ProfileView />)
    const signIn = '/signin?redirect=%2Fprofile%23delete-account'
    await waitFor(() => expect(router.replace).toHaveBeenCalledExactlyOnceWith(signIn))
  })
})

describe('the deletion', () => {
  it('ends the session in all tabs, and leads to where it can be taken back', async () => {
    const broadcast = vi.fn()
    const end = vi.fn(async () => {})
    const source = { expected: () => true, read: async () => aSession(), end }
    const manager = new SessionManager(source, { ...aloneTab, broadcast })
    await ask(manager)
    await confirm()
    await waitFor(() => expect(router.replace).toHaveBeenCalledExactlyOnceWith('/signin'))
    expect(calls).toEqual([['token-1', {}]])
    expect(manager.session).toBeNull()
    expect(broadcast).toHaveBeenLastCalledWith(null)
    expect(end).not.toHaveBeenCalled()
    expect(deletionNotice.get()).toBe(ERASE_AT)
  })

  it('is asked for once, however often the button is pressed', async () => {
    let answer: (response: Response) => void = () => {}
    onDelete(() => new Promise((resolve) => (answer = resolve)))
    await ask()
    await userEvent.type(await field(), 'DELETE')
    await userEvent.dblClick(dialog().getByRole('button', { name: 'Delete my account' }))
    const button = await dialog().findByRole('button', { name: 'Deleting...' })
    await userEvent.click(button)
    await userEvent.type(await field(), '{Enter}')
    expect(button).toHaveAttribute('aria-busy', 'true')

    // It cannot be cancelled any more.
    const element = screen.getByRole('dialog')
    expect(fireEvent(element, new Event('cancel', { cancelable: true }))).toBe(false)
    await userEvent.click(dialog().getByRole('button', { name: 'Close' }))
    await userEvent.click(dialog().getByRole('button', { name: 'Keep my account' }))
    fireEvent.mouseDown(element)
    expect(element).toHaveAttribute('open')

    answer(HttpResponse.json({ eraseAt: ERASE_AT }, { status: 202 }))
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/signin'))
    expect(calls).toHaveLength(1)
  })

  it.each([
    ['the only admin', () => refusal(409, 'last_admin'), /You are the only admin/],
    ['an outage', () => refusal(503, 'kratos_unavailable'), /The server says no/],
    ['no network', offline, /Network error/],
    ['an answer without a date', () => HttpResponse.json({}, { status: 202 }), /went wrong/],
  ])('says why it failed: %s', async (_, answer, text) => {
    onDelete(answer)
    await ask()
    await confirm()
    expect(await dialog().findByRole('alert')).toHaveTextContent(text)
    expect(await violations(screen.getByRole('dialog'))).toEqual([])
    expect(router.replace).not.toHaveBeenCalled()
    onDelete(() => HttpResponse.json({ eraseAt: ERASE_AT }, { status: 202 }))
    await userEvent.click(dialog().getByRole('button', { name: 'Delete my account' }))
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/signin'))
  })
})

describe('a sign-in that is too old', () => {
  const starts: unknown[] = []

  beforeEach(() => {
    starts.length = 0
    onDelete(() => refusal(403, 'fresh_sign_in_required'))
    onPost('/api/auth/signin/{provider}', ({ url, body }) => {
      starts.push([url.pathname + url.search, body])
      return { url: 'https://provider.example/authorize' }
    })
  })

  it.each(['google', 'apple'] as const)('leads through %s, and back here', async (provider) => {
    const { user } = aSession()
    await ask(managerOf(aSession({ user: { ...user, app_metadata: { provider } } })))
    await confirm()
    expect(
      await dialog().findByRole('heading', { name: 'Please sign in again first' }),
    ).toHaveFocus()
    expect(await violations(screen.getByRole('dialog'))).toEqual([])
    await userEvent.click(dialog().getByRole('button', { name: 'Sign in again' }))
    await waitFor(() =>
      expect(leaveTo).toHaveBeenCalledExactlyOnceWith('https://provider.example/authorize'),
    )
    expect(starts).toEqual([
      [
        `/api/auth/signin/${provider}?refresh=true`,
        { return_to: '/auth/callback?redirect=%2Fprofile%23delete-account' },
      ],
    ])
    // Whoever comes back by the back button can press it again.
    fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }))
    const again = dialog().getByRole('button', { name: 'Sign in again' })
    await waitFor(() => expect(again).not.toHaveAttribute('aria-disabled'))
  })

  it('says that the new one could not start', async () => {
    onPost('/api/auth/signin/{provider}', offline)
    await ask()
    await confirm()
    await userEvent.click(await dialog().findByRole('button', { name: 'Sign in again' }))
    expect(await dialog().findByRole('alert')).toHaveTextContent('Network error.')
    expect(leaveTo).not.toHaveBeenCalled()
  })
})
