import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { saveFile } from '@/lib/api/download'
import { leaveTo } from '@/lib/leave'
import { violations } from '@/testing/axe'
import { onBilling } from '@/testing/billing'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { offline, onGet, onPost, refusal } from '@/testing/server'
import { aSession } from '@/testing/session'
import { ProfileView } from '../profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))
vi.mock(import('@/lib/api/download'), async (original) => ({
  ...(await original()),
  saveFile: vi.fn(),
}))

// What is loaded on demand may take its time on a busy machine.
beforeAll(() => Promise.all([import('../further-cards'), import('../deletion/fresh-sign-in')]))

const scrolled = vi.fn()
let bearers: unknown[]

beforeEach(() => {
  visit('/profile')
  router.replace.mockClear()
  vi.mocked(leaveTo).mockClear()
  vi.mocked(saveFile).mockClear()
  // jsdom lays nothing out, and does not scroll.
  Element.prototype.scrollIntoView = scrolled
  bearers = []
  onGet('/api/auth/devices', () => ({ data: [] }))
  onGet('/api/get-waitlist-status', () => ({ status: null }))
  onGet('/api/get-my-support-tickets', () => ({ data: [], nextCursor: null }))
  onBilling()
})

function onExport(answer: () => Response | Promise<Response>) {
  onGet('/api/auth/export', ({ bearer }) => {
    bearers.push(bearer)
    return answer()
  })
}

function file() {
  const headers = { 'Content-Disposition': 'attachment; filename="fledge-data-2026-11-26.zip"' }
  return new HttpResponse('PK', { headers })
}

const card = async () => within(await screen.findByRole('region', { name: 'Your data' }))
const button = async () => (await card()).getByRole('button', { name: 'Download my data' })

describe('the download', () => {
  it('saves the file under the name that the server gives it, and says so', async () => {
    onExport(file)
    renderApp(<ProfileView />, { session: aSession() })
    await userEvent.click(await button())
    expect(await (await card()).findByText(/^Saved as fledge-data-2026-11-26\.zip\./)).toBeVisible()
    const name = 'fledge-data-2026-11-26.zip'
    expect(saveFile).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ name }))
    expect(bearers).toEqual(['token-1'])
    expect(await violations(screen.getByRole('region', { name: 'Your data' }))).toEqual([])
  })

  it('is asked for once while it is under way', async () => {
    let answer: (response: Response) => void = () => {}
    const answered = new Promise<Response>((resolve) => (answer = resolve))
    onExport(() => answered)
    renderApp(<ProfileView />, { session: aSession() })
    await userEvent.dblClick(await button())
    const busy = await (await card()).findByRole('button', { name: 'Preparing...' })
    expect(busy).toHaveAttribute('aria-busy', 'true')
    expect(busy).toHaveFocus()
    answer(file())
    await waitFor(async () => expect(await button()).toHaveFocus())
    expect(bearers).toHaveLength(1)
  })

  it.each([
    ['an outage', () => refusal(503, 'unavailable'), 'The server says no.'],
    ['no network', offline, /Network error/],
  ])('says why it failed, and can be tried again: %s', async (_, answer, text) => {
    onExport(answer)
    renderApp(<ProfileView />, { session: aSession() })
    await userEvent.click(await button())
    expect(await (await card()).findByRole('alert')).toHaveTextContent(text)
    expect(saveFile).not.toHaveBeenCalled()
    onExport(file)
    await userEvent.click(await button())
    await waitFor(() => expect(saveFile).toHaveBeenCalledOnce())
    expect((await card()).queryByRole('alert')).not.toBeInTheDocument()
  })
})

describe('a sign-in that is too old', () => {
  it('leads through a new one, and back here', async () => {
    const starts: unknown[] = []
    onExport(() => refusal(403, 'fresh_sign_in_required'))
    onPost('/api/auth/signin/{provider}', ({ url, body }) => {
      starts.push([url.pathname + url.search, body])
      return { url: 'https://provider.example/authorize' }
    })
    renderApp(<ProfileView />, { session: aSession() })
    await userEvent.click(await button())
    const heading = { name: 'Please sign in again first' }
    expect(await (await card()).findByRole('heading', heading)).toHaveFocus()
    expect(await violations(screen.getByRole('region', { name: 'Your data' }))).toEqual([])
    await userEvent.click((await card()).getByRole('button', { name: 'Sign in again' }))
    await waitFor(() =>
      expect(leaveTo).toHaveBeenCalledExactlyOnceWith('https://provider.example/authorize'),
    )
    expect(starts).toEqual([
      [
        '/api/auth/signin/google?refresh=true',
        { return_to: '/auth/callback?redirect=%2Fprofile%23download-data' },
      ],
    ])
    fireEvent(window, new PageTransitionEvent('pageshow', { persisted: true }))
  })
})

describe('an address that leads to it', () => {
  it('puts the keyboard at the button, and starts nothing', async () => {
    onExport(file)
    visit('/profile#download-data')
    renderApp(<ProfileView />, { session: aSession() })
    const saver = await button()
    await waitFor(() => expect(saver).toHaveFocus())
    expect(scrolled.mock.contexts).toContain(saver)
    expect(bearers).toEqual([])
  })

  it('has whoever is signed out sign in first', async () => {
    visit('/profile#download-data')
    renderApp(<ProfileView />)
    const signIn = '/signin?redirect=%2Fprofile%23download-data'
    await waitFor(() => expect(router.replace).toHaveBeenCalledExactlyOnceWith(signIn))
  })
})
