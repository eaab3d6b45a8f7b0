import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deletionNotice } from '@/features/session/deletion-notice'
import type { SignInFlow } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { leaveTo } from '@/lib/leave'
import { type AppRequest, readAppRequest } from './app-request'
import { AuthErrorScreen } from './auth-error-screen'
import { pendingSignIn, rememberApp } from './pending-app'
import { SignInScreen } from './sign-in-screen'
import { SignInStarter } from './sign-in-starter'
import { UpgradeScreen } from './upgrade-screen'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))

const APP = 'fledge://auth/callback'
const LOOPBACK = 'http://127.0.0.1:49152/auth/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const PKCE = `code_challenge=${CHALLENGE}&code_challenge_method=S256`
const FLOW = '8e1c63c2-5c6d-4f0a-9a45-1f0d7f3c2b1a'
const PROVIDER = 'https://provider.example/authorize'

const restore = () =>
  void window.dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))

const left = () => vi.mocked(leaveTo).mock.calls.map(([url]) => url)

beforeEach(() => {
  vi.mocked(leaveTo).mockClear()
  router.replace.mockClear()
})

describe('/auth/error', () => {
  it.each([
    ['email_not_verified', 'Your email address is not verified'],
    ['account_disabled', 'This account is disabled'],
    ['sign_in_expired', 'That took too long'],
    ['sign_in_interrupted', 'The sign-in was interrupted'],
    ['unknown', "Sign-in didn't work"],
  ] as const)('has a fixed text for %s', async (code, title) => {
    onGet('/api/auth/kratos/self-service/errors', () => ({ code }))
    visit(`/auth/error?id=${FLOW}`)
    const { container } = renderApp(<AuthErrorScreen />)
    expect(await screen.findByRole('heading', { name: title })).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('says without asking that a sign-in came back to another browser, and nothing else', async () => {
    visit('/auth/error?error_code=sign_in_interrupted')
    const first = renderApp(<AuthErrorScreen />)
    expect(await screen.findByText(/in another browser/)).toBeVisible()
    first.unmount()
    visit('/auth/error?error_code=account_disabled')
    renderApp(<AuthErrorScreen />)
    expect(await screen.findByText('Something went wrong. Please try again.')).toBeVisible()
  })

  it('still leads to the app that started the sign-in in this tab', async () => {
    onGet('/api/auth/kratos/self-service/errors', () => ({ code: 'sign_in_expired' as const }))
    const starts: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      starts.push(body)
      return { url: PROVIDER }
    })
    visit(`/auth?provider=google&callback=${LOOPBACK}&state=s&${PKCE}`)
    const start = renderApp(<SignInStarter />)
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    start.unmount()

    visit(`/auth/error?id=${FLOW}`)
    renderApp(<AuthErrorScreen />)
    await userEvent.click(await screen.findByRole('button', { name: 'Continue with Google' }))
    await waitFor(() => expect(left()).toHaveLength(2))
    expect(starts[1]).toEqual(starts[0])
    await userEvent.click(screen.getByRole('button', { name: 'Back to the app on your Mac' }))
    const url = new URL(left()[2] ?? '')
    expect(url.origin + url.pathname).toBe(LOOPBACK)
    expect(Object.fromEntries(url.searchParams)).toEqual({
      error: 'server_error',
      error_code: 'sign_in_expired',
      error_description: 'That took too long',
      state: 's',
    })
  })

  it.each([
    '{',
    'null',
    JSON.stringify({ value: 7, at: Date.now() }),
    JSON.stringify({ value: 'callback=https://evil.example', at: Date.now() }),
    JSON.stringify({ value: `callback=${APP}`, at: Date.now() - 31 * 60_000 }),
  ])('does not believe a note of %s', async (note) => {
    sessionStorage.setItem('fledge_pending_app', note)
    onGet('/api/auth/kratos/self-service/errors', () => ({ code: 'unknown' as const }))
    visit(`/auth/error?id=${FLOW}`)
    renderApp(<AuthErrorScreen />)
    expect(await screen.findByRole('heading', { name: "Sign-in didn't work" })).toBeVisible()
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: /Back to the app/ })).not.toBeInTheDocument(),
    )
  })

  it('falls back when the reason cannot be read or is not named', async () => {
    onGet('/api/auth/kratos/self-service/errors', () => failure(404, 'Not found.'))
    visit(`/auth/error?id=${FLOW}`)
    const first = renderApp(<AuthErrorScreen />)
    expect(await screen.findByText('Something went wrong. Please try again.')).toBeVisible()
    first.unmount()
    visit('/auth/error')
    renderApp(<AuthErrorScreen />)
    expect(await screen.findByText('Something went wrong. Please try again.')).toBeVisible()
  })
})

describe('/signin', () => {
  function aFlow(messageId: number, parts: Partial<SignInFlow> = {}): SignInFlow {
    return {
      id: FLOW,
      ui: {
        messages: [{ id: messageId, text: 'never shown', type: 'error' }],
        nodes: [
          { type: 'input', group: 'oidc', attributes: { name: 'provider', value: 'google' } },
        ],
      },
      ...parts,
    }
  }

  function openFlow(flow: SignInFlow) {
    onGet('/api/auth/kratos/self-service/login/flows', ({ url }) =>
      url.searchParams.get('id') === FLOW ? flow : failure(404, 'Not found.'),
    )
    visit(`/signin?flow=${FLOW}`)
    return renderApp(<SignInScreen />)
  }

  it('asks to link the second provider and goes on with the same flow', async () => {
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ url, body }) => {
      bodies.push([url.pathname, body])
      return { url: PROVIDER }
    })
    const flow = aFlow(1010016)
    const message = flow.ui.messages?.[0]
    // The provider to add is the one that is not offered.
    if (message) message.context = { duplicate_identifier: 'jane@fledge.test' }
    const { container } = openFlow(flow)
    expect(
      await screen.findByRole('heading', { name: 'You already have an account' }),
    ).toBeVisible()
    expect(
      screen.getByText(
        'jane@fledge.test signs in with Google. Continue with Google once, and from then on Apple works as well.',
      ),
    ).toBeVisible()
    expect(screen.getByRole('link', { name: 'Terms' })).toHaveAttribute('href', '/terms')
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: /Apple/ })).not.toBeInTheDocument(),
    )
    expect(await violations(container)).toEqual([])

    const button = screen.getByRole('button', { name: 'Continue with Google' })
    await userEvent.click(button)
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    await waitFor(() => expect(button).toHaveAttribute('aria-disabled', 'true'))
    expect(bodies).toEqual([['/api/auth/signin/google', { flow: FLOW }]])
  })

  it('starts anew once the sign-in that waits has expired, for the same page', async () => {
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      bodies.push(body)
      const refusal = { error: 'Please start again.', code: 'sign_in_expired', requestId: '' }
      return bodies.length === 1 ? Response.json(refusal, { status: 409 }) : { url: PROVIDER }
    })
    const return_to = 'http://localhost:8080/auth/callback?redirect=%2Fclosed-beta'
    openFlow(aFlow(1010016, { return_to }))
    const button = await screen.findByRole('button', { name: 'Continue with Google' })
    await userEvent.click(button)
    expect(await screen.findByText('Please start again.')).toBeVisible()
    await userEvent.click(button)
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(bodies).toEqual([
      { flow: FLOW },
      { return_to: '/auth/callback?redirect=%2Fclosed-beta' },
    ])
  })

  it('says that the wrong account was used', async () => {
    openFlow(aFlow(4010009))
    expect(await screen.findByText(/That was another account/)).toHaveAttribute('role', 'alert')
  })

  it('tells the app that its sign-in was refused', async () => {
    const return_to = `http://localhost:8080/auth/callback?callback=${encodeURIComponent(APP)}&state=s`
    const first = openFlow(aFlow(4000001, { return_to }))
    await waitFor(() => expect(left()).toHaveLength(1))
    expect(left()[0]).toMatch(/^fledge:\/\/auth\/callback\?error=access_denied&.*state=s$/)
    // A reload does not open the app again, its button does.
    first.unmount()
    renderApp(<SignInScreen />)
    await userEvent.click(await screen.findByRole('button', { name: /Back to the app/ }))
    expect(left()).toEqual([left()[0], left()[0]])
  })

  it('tells the app at its loopback address as well, but not without a challenge', async () => {
    const back = `http://localhost:8080/auth/callback?callback=${encodeURIComponent(LOOPBACK)}&state=s`
    const first = openFlow(aFlow(4000001, { return_to: `${back}&${PKCE}` }))
    await waitFor(() => expect(left()).toHaveLength(1))
    expect(left()[0]).toMatch(/^http:\/\/127\.0\.0\.1:49152\/auth\/callback\?error=access_denied&/)
    first.unmount()
    openFlow(aFlow(4000001, { return_to: back }))
    expect(await screen.findByRole('heading', { name: 'Sign-in was cancelled' })).toBeVisible()
    expect(left()).toHaveLength(1)
  })

  it('offers another try to the page that the person came from', async () => {
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      bodies.push(body)
      return failure(429, 'Too many tries. Please wait a minute.')
    })
    openFlow(aFlow(4000001, { return_to: 'http://localhost:8080/auth/callback?redirect=%2Fadmin' }))
    expect(await screen.findByRole('heading', { name: 'Sign-in was cancelled' })).toBeVisible()
    const button = screen.getByRole('button', { name: 'Continue with Apple' })
    await userEvent.click(button)
    expect(await screen.findByText('Too many tries. Please wait a minute.')).toBeVisible()
    await waitFor(() => expect(button).not.toHaveAttribute('aria-disabled'))
    expect(bodies).toEqual([{ return_to: '/auth/callback?redirect=%2Fadmin' }])
  })

  it('shows the guard message for an address that is not verified', async () => {
    onGet('/api/auth/kratos/self-service/registration/flows', () => aFlow(900100))
    visit(`/signin?flow=${FLOW}&kind=registration`)
    renderApp(<SignInScreen />)
    expect(
      await screen.findByRole('heading', { name: 'Your email address is not verified' }),
    ).toBeVisible()
  })

  it('without a sign-in that waits offers to start one', async () => {
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      bodies.push(body)
      return { url: PROVIDER }
    })
    visit('/signin')
    const { container } = renderApp(<SignInScreen />)
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeVisible()
    expect(screen.getByText('Choose how you want to sign in.')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Continue with Apple' })).toBeVisible()
    expect(await violations(container)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Continue with Google' }))
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(bodies).toEqual([{ return_to: '/auth/callback?redirect=%2Fprofile' }])
    expect(router.replace).not.toHaveBeenCalled()
  })

  it.each([
    ['/signin', '/profile'],
    ['/signin?flow=', '/profile'],
    ['/signin?redirect=%2Fclosed-beta', '/closed-beta'],
    ['/signin?redirect=https%3A%2F%2Fevil.example', '/profile'],
  ])('leads whoever is signed in on from %s to %s', async (address, page) => {
    visit(address)
    renderApp(<SignInScreen />, { session: aSession() })
    await waitFor(() => expect(router.replace).toHaveBeenCalledExactlyOnceWith(page))
    expect(screen.queryByRole('button')).not.toBeInTheDocument()
  })

  it('tells whoever has just deleted their account until when signing in takes that back', async () => {
    const starts: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      starts.push(body)
      return { url: PROVIDER }
    })
    deletionNotice.set('2026-12-03T12:00:00')
    visit('/signin')
    const { container } = renderApp(<SignInScreen />)
    const title = await screen.findByRole('heading', { name: 'Your account will be erased' })
    expect(title).toHaveFocus()
    expect(
      screen.getByText(/erased on Thursday, December 3, 2026 at 12:00\sPM\. Signing in again/),
    ).toBeVisible()
    expect(await violations(container)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Continue with Apple' }))
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(starts).toEqual([{ return_to: '/auth/callback?redirect=%2Fprofile' }])
  })

  it('leads back to the page that it was opened from', async () => {
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      bodies.push(body)
      return { url: PROVIDER }
    })
    visit('/signin?redirect=%2Fclosed-beta')
    renderApp(<SignInScreen />)
    await userEvent.click(await screen.findByRole('button', { name: 'Continue with Google' }))
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(bodies).toEqual([{ return_to: '/auth/callback?redirect=%2Fclosed-beta' }])
  })

  it('does not ask to sign in while the server does not answer', async () => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(0) // the jitter of retries
    visit('/signin')
    const read = () => Promise.reject(new Error('503'))
    renderApp(<SignInScreen />, { manager: managerOf(null, { read }) })
    await act(() => vi.advanceTimersByTimeAsync(1400))
    expect(screen.getByRole('heading', { name: "We can't reach the server" })).toBeVisible()
    expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible()
    expect(screen.queryByRole('button', { name: /Continue/ })).not.toBeInTheDocument()
    vi.useRealTimers()
  })

  it('says that a sign-in has expired which the server does not know', async () => {
    onGet('/api/auth/kratos/self-service/login/flows', () => failure(404, 'Not found.'))
    visit(`/signin?flow=${FLOW}`)
    renderApp(<SignInScreen />)
    expect(await screen.findByText(/has expired/)).toBeVisible()
  })

  it.each([
    ['no answer', offline],
    ['503', () => failure(503, 'Try again later.')],
    ['429', () => failure(429, 'Too many requests.')],
    ['408', () => failure(408, 'Too slow.')],
  ])('keeps where the person was going while the server does not say: %s', async (_, answer) => {
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      bodies.push(body)
      return { url: PROVIDER }
    })
    onGet('/api/auth/kratos/self-service/login/flows', answer)
    visit(`/signin?flow=${FLOW}`)
    const { container } = renderApp(<SignInScreen />)
    const title = "We can't reach the server"
    expect(await screen.findByRole('heading', { name: title })).toBeVisible()
    expect(await violations(container)).toEqual([])
    const return_to = 'http://localhost:8080/auth/callback?redirect=%2Fadmin'
    onGet('/api/auth/kratos/self-service/login/flows', () => aFlow(4000001, { return_to }))
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByRole('heading', { name: 'Sign-in was cancelled' })).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Continue with Apple' }))
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(bodies).toEqual([{ return_to: '/auth/callback?redirect=%2Fadmin' }])
  })

  it('that has expired still leads to the app that began it in this tab', async () => {
    onGet('/api/auth/kratos/self-service/login/flows', () => failure(404, 'Not found.'))
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      bodies.push(body)
      return { url: PROVIDER }
    })
    rememberApp(readAppRequest(new URLSearchParams({ callback: APP })) as AppRequest, null)
    visit(`/signin?flow=${FLOW}`)
    renderApp(<SignInScreen />)
    await userEvent.click(await screen.findByRole('button', { name: 'Continue with Google' }))
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(bodies).toEqual([{ return_to: `/auth/callback?callback=${encodeURIComponent(APP)}` }])
  })
})

describe('another try of a sign-in for the app', () => {
  const app = readAppRequest(new URLSearchParams({ callback: APP })) as AppRequest

  it.each([
    ['/auth/error', () => <AuthErrorScreen />],
    [`/signin?flow=${FLOW}`, () => <SignInScreen />],
    [`/auth?provider=google&callback=${APP}`, () => <SignInStarter />],
  ])('at %s hands no session of another tab to it unasked', async (address, page) => {
    onGet('/api/auth/kratos/self-service/login/flows', () => failure(404, 'Not found.'))
    const starts = [PROVIDER, PROVIDER, `${window.location.origin}/auth/callback?callback=${APP}`]
    onPost('/api/auth/signin/{provider}', () => ({ url: starts.shift() ?? '' }))
    rememberApp(app, null)
    visit(address)
    renderApp(page())
    if (address.startsWith('/auth?')) {
      await waitFor(() => expect(left()).toHaveLength(1))
      act(restore)
    } else {
      starts.shift()
    }
    const button = await screen.findByRole('button', { name: 'Continue with Google' })
    await userEvent.click(button)
    await waitFor(() => expect(left().at(-1)).toBe(PROVIDER))
    expect(pendingSignIn()).toEqual({ app, before: null })

    act(restore)
    await userEvent.click(button)
    await waitFor(() => expect(starts).toEqual([]))
    await waitFor(() => expect(left().at(-1)).toMatch(/\/auth\/callback/))
    expect(pendingSignIn()).toEqual({ app, before: undefined })
  })
})

describe('/upgrade', () => {
  it.each([
    ['signed in', aSession(), '/profile?paywall=true'],
    ['signed out', null, '/'],
  ])('keeps its address while the server does not answer: %s', async (_, answer, path) => {
    vi.useFakeTimers()
    const read = vi.fn<() => Promise<ReturnType<typeof aSession> | null>>()
    read.mockRejectedValue(new Error('503'))
    visit('/upgrade?source=electron')
    const manager = managerOf(null, { read })
    renderApp(<UpgradeScreen />, { manager })
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(screen.getByRole('heading', { name: "We can't reach the server" })).toBeVisible()
    expect(router.replace).not.toHaveBeenCalled()
    expect(window.location.search).toBe('?source=electron')
    read.mockResolvedValue(answer)
    await act(() => vi.advanceTimersByTimeAsync(1000))
    expect(router.replace.mock.calls).toEqual([[path]])
    vi.useRealTimers()
  })

  it.each([
    ['/upgrade', true, '/profile'],
    ['/upgrade?source=electron&user=somebody', true, '/profile?paywall=true'],
    ['/upgrade?source=electron', false, '/'],
  ])('leads from %s (signed in: %s) to %s after a second', async (address, signedIn, path) => {
    vi.useFakeTimers()
    visit(address)
    renderApp(<UpgradeScreen />, { session: signedIn ? aSession() : null })
    expect(screen.getByText('Redirecting to profile...')).toBeVisible()
    await vi.advanceTimersByTimeAsync(999)
    expect(router.replace).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    expect(router.replace).toHaveBeenCalledWith(path)
    vi.useRealTimers()
  })
})
