import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { SignInFlow } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { AuthErrorScreen } from './auth-error-screen'
import { CallbackScreen } from './callback-screen'
import { leaveTo } from './leave'
import { SignInScreen } from './sign-in-screen'
import { SignInStarter } from './sign-in-starter'
import { UpgradeScreen } from './upgrade-screen'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('./leave', () => ({ leaveTo: vi.fn() }))
const settings = vi.hoisted(() => ({ handOff: { tokens: true } }))
vi.mock('@/config/settings', () => ({ loadSettings: async () => settings }))

const APP = 'fledge://auth/callback'
const LOOPBACK = 'http://127.0.0.1:49152/auth/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const PKCE = `code_challenge=${CHALLENGE}&code_challenge_method=S256`
const FLOW = '8e1c63c2-5c6d-4f0a-9a45-1f0d7f3c2b1a'
const PROVIDER = 'https://provider.example/authorize'

const left = () => vi.mocked(leaveTo).mock.calls.map(([url]) => url)

beforeEach(() => {
  vi.mocked(leaveTo).mockClear()
  router.replace.mockClear()
  settings.handOff.tokens = true
})

describe('/auth', () => {
  const starts: { path: string; body: unknown }[] = []
  beforeEach(() => {
    starts.length = 0
    onPost('/api/auth/signin/{provider}', ({ url, body }) => {
      starts.push({ path: url.pathname, body })
      return { url: PROVIDER }
    })
  })

  it('starts the sign-in and returns to the callback with the link', async () => {
    visit(`/auth?provider=apple&callback=${encodeURIComponent(APP)}`)
    const { container } = renderApp(<SignInStarter />)
    expect(screen.getByText('Redirecting to authentication...')).toBeVisible()
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(starts).toEqual([
      {
        path: '/api/auth/signin/apple',
        body: { return_to: '/auth/callback?callback=fledge%3A%2F%2Fauth%2Fcallback' },
      },
    ])
    expect(await violations(container)).toEqual([])
  })

  it.each(['/auth', '/auth?provider=google', `/auth?callback=${APP}`])(
    'logs that %s is incomplete and says so',
    async (address) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      visit(address)
      renderApp(<SignInStarter />)
      expect(await screen.findByText(/not complete/)).toBeVisible()
      expect(log).toHaveBeenCalledOnce()
      expect(left()).toEqual([])
    },
  )

  it.each([APP, LOOPBACK])('passes state and challenge on, for %s', async (callback) => {
    visit(`/auth?provider=google&callback=${callback}&state=a%20b%26c&${PKCE}`)
    renderApp(<SignInStarter />)
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    const { return_to } = starts[0]?.body as { return_to: string }
    const query = Object.fromEntries(new URLSearchParams(return_to.split('?')[1]))
    expect(query).toEqual({
      callback,
      state: 'a b&c',
      code_challenge: CHALLENGE,
      code_challenge_method: 'S256',
    })
  })

  it.each([
    'callback=https://evil.example/',
    `callback=${LOOPBACK}`,
    `callback=${LOOPBACK}&code_challenge=${CHALLENGE}`,
    `callback=${APP}&code_challenge=short&code_challenge_method=S256`,
    `callback=${APP}&code_challenge=${CHALLENGE}&code_challenge_method=plain`,
    `callback=${APP}&callback=https://evil.example/`,
    `callback=${APP}&state=${'x'.repeat(513)}`,
  ])('stays when the app cannot have asked: %s', async (query) => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    visit(`/auth?provider=google&${query}`)
    renderApp(<SignInStarter />)
    expect(await screen.findByText(/does not lead back to the app/)).toBeVisible()
    expect(log).toHaveBeenCalledOnce()
    expect(left()).toEqual([])
    expect(starts).toEqual([])
  })

  it.each([
    ['facebook', APP, ''],
    ['Google', APP, ''],
    ['google%0A', APP, ''],
    ['../../', APP, ''],
    ['google&provider=apple', APP, ''],
    ['facebook', LOOPBACK, `&${PKCE}`],
  ])(
    'sends the unknown provider %s back to %s%s without asking',
    async (provider, link, others) => {
      visit(`/auth?provider=${provider}&callback=${link}${others}`)
      renderApp(<SignInStarter />)
      await waitFor(() => expect(left()).toEqual([`${link}?error=Authentication+failed`]))
      expect(starts).toEqual([])
    },
  )

  it("forwards the server's words, or 'Authentication failed' without an answer", async () => {
    onPost('/api/auth/signin/{provider}', () => failure(503, 'Google is not available.'))
    visit(`/auth?provider=google&callback=${APP}&state=s1`)
    const first = renderApp(<SignInStarter />)
    await waitFor(() => expect(left()).toEqual([`${APP}?error=Google+is+not+available.&state=s1`]))
    first.unmount()

    onPost('/api/auth/signin/{provider}', offline)
    renderApp(<SignInStarter />)
    await waitFor(() => expect(left()[1]).toBe(`${APP}?error=Authentication+failed&state=s1`))
  })
})

describe('/auth/callback', () => {
  /** Opens the page with somebody signed in, and lets the second pass that it waits. */
  async function arrive(address: string, manager = managerOf(aSession())) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    visit(address)
    const rendered = renderApp(<CallbackScreen />, { manager })
    await act(() => vi.advanceTimersByTimeAsync(1000))
    vi.useRealTimers()
    return rendered
  }
  afterEach(() => void vi.useRealTimers())

  const success = () => screen.findByRole('heading', { name: 'Authentication Successful!' })
  const openButton = () => screen.getByRole('button', { name: 'Open Fledge on your Mac' })

  describe('with a challenge', () => {
    let asked: { body: unknown; bearer: string | null }[]
    beforeEach(() => {
      asked = []
      onPost('/api/auth/hand-off', ({ body, bearer }) => {
        asked.push({ body, bearer })
        return { code: `code-${asked.length}`, expires_in: 60 }
      })
    })

    it.each([APP, LOOPBACK])('opens %s with a fresh code, each time', async (callback) => {
      const { container } = await arrive(`/auth/callback?callback=${callback}&state=s%26t&${PKCE}`)
      expect(await success()).toHaveFocus()
      expect(screen.getByText('You can now return to the app on your Mac')).toBeVisible()
      expect(left()).toEqual([`${callback}?code=code-1&state=s%26t`])
      const body = { callback, code_challenge: CHALLENGE, code_challenge_method: 'S256' }
      expect(asked).toEqual([{ body, bearer: 'token-1' }])

      await userEvent.click(openButton())
      await waitFor(() => expect(left()[1]).toBe(`${callback}?code=code-2&state=s%26t`))
      expect(asked).toHaveLength(2)
      expect(await violations(container)).toEqual([])
    })

    it('rests while a code is on its way', async () => {
      await arrive(`/auth/callback?callback=${APP}&${PKCE}`)
      await success()
      let answer: (value: { code: string; expires_in: number }) => void = () => {}
      onPost('/api/auth/hand-off', () => new Promise((resolve) => (answer = resolve)))
      await userEvent.click(openButton())
      expect(await screen.findByRole('button', { name: 'Opening Fledge...' })).toBeDisabled()
      await waitFor(() => {
        answer({ code: 'late', expires_in: 60 })
        expect(left()[1]).toBe(`${APP}?code=late`)
      })
      expect(openButton()).toBeEnabled()
    })

    it('says why it cannot be opened again, and tries again', async () => {
      await arrive(`/auth/callback?callback=${APP}&${PKCE}`)
      await success()
      onPost('/api/auth/hand-off', offline)
      await userEvent.click(openButton())
      expect(await screen.findByText('Network error. Please try again.')).toBeVisible()
      onPost('/api/auth/hand-off', () => ({ code: 'again', expires_in: 60 }))
      await userEvent.click(openButton())
      await waitFor(() => expect(left()[1]).toBe(`${APP}?code=again`))
      expect(screen.queryByText(/Network error/)).not.toBeInTheDocument()
    })

    it('lets the person try again when it fails at first', async () => {
      onPost('/api/auth/hand-off', () => failure(503, 'Please try again in a moment.'))
      const { container } = await arrive(`/auth/callback?callback=${APP}&${PKCE}`)
      const title = "Fledge on your Mac isn't signed in yet"
      expect(await screen.findByRole('heading', { name: title })).toHaveFocus()
      expect(screen.getByText('Please try again in a moment.')).toBeVisible()
      expect(left()).toEqual([])
      expect(await violations(container)).toEqual([])
      onPost('/api/auth/hand-off', () => ({ code: 'c', expires_in: 60 }))
      await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
      expect(await success()).toBeVisible()
      expect(left()).toEqual([`${APP}?code=c`])
    })

    it('renews a bearer that was refused, once', async () => {
      const bearers: unknown[] = []
      onPost('/api/auth/hand-off', ({ bearer }) => {
        bearers.push(bearer)
        if (bearer === 'token-1') return failure(401, 'Please sign in.')
        return { code: 'c', expires_in: 60 }
      })
      const read = vi.fn(async () => aSession({ access_token: `token-${read.mock.calls.length}` }))
      await arrive(`/auth/callback?callback=${APP}&${PKCE}`, managerOf(null, { read }))
      await success()
      expect(bearers).toEqual(['token-1', 'token-2'])
    })

    it('says that the session has ended', async () => {
      onPost('/api/auth/hand-off', () => failure(401, 'Please sign in.'))
      const answers = [aSession(), null]
      await arrive(
        `/auth/callback?callback=${APP}&${PKCE}`,
        managerOf(null, { read: async () => answers.shift() ?? null }),
      )
      expect(await screen.findByText(/signed out by now/)).toBeVisible()
      expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument()
    })
  })

  describe('without a challenge', () => {
    it('opens the app with a session of its own, the same each time', async () => {
      let asked = 0
      const own = aSession({ access_token: 'app-token', refresh_token: 'app-refresh' })
      onPost('/api/auth/hand-off', ({ body }) => {
        asked += 1
        expect(body).toEqual({ callback: APP })
        return { session: own }
      })
      await arrive(`/auth/callback?callback=${APP}&state=s`)
      await success()
      const [link, fragment] = left()[0]?.split('#') ?? []
      expect(link).toBe(APP)
      expect(Object.fromEntries(new URLSearchParams(fragment))).toEqual({
        access_token: 'app-token',
        refresh_token: 'app-refresh',
        expires_in: '600',
        expires_at: String(own.expires_at),
        token_type: 'bearer',
        user_id: own.user.id,
        email: 'jane@fledge.test',
        state: 's',
      })
      await userEvent.click(openButton())
      expect(left()).toEqual([`${APP}#${fragment}`, `${APP}#${fragment}`])
      expect(asked).toBe(1)
    })

    it('says that the installation does not allow it', async () => {
      const refusal = { error: 'No.', code: 'token_hand_off_disabled', requestId: '0'.repeat(32) }
      onPost('/api/auth/hand-off', () => HttpResponse.json(refusal, { status: 403 }))
      await arrive(`/auth/callback?callback=${APP}`)
      expect(await screen.findByText(/switched off here/)).toBeVisible()
      expect(screen.queryByRole('button')).not.toBeInTheDocument()
      expect(left()).toEqual([])
    })
  })

  describe('tokens in its own hash', () => {
    const token = `h.${btoa(JSON.stringify({ sub: 'u1', email: 'jane@fledge.test' }))}.s`

    it('go to the app', async () => {
      visit(`/auth/callback?callback=${APP}&state=s#access_token=${token}&refresh_token=r`)
      renderApp(<CallbackScreen />)
      expect(window.location.hash).toBe('')
      expect(await success()).toBeVisible()
      await userEvent.click(openButton())
      expect(left()).toHaveLength(2)
      const values = new URLSearchParams(left()[1]?.split('#')[1])
      expect(Object.fromEntries(values)).toEqual({
        access_token: token,
        refresh_token: 'r',
        user_id: 'u1',
        email: 'jane@fledge.test',
        state: 's',
      })
    })

    it('stay here where tokens are switched off', async () => {
      settings.handOff.tokens = false
      visit(`/auth/callback?callback=${APP}#access_token=${token}`)
      renderApp(<CallbackScreen />)
      expect(await screen.findByText(/switched off here/)).toBeVisible()
      expect(left()).toEqual([])
    })

    it.each([
      'no-parts',
      `a.${'A'.repeat(1_000_000)}.c`,
      `h.${btoa('{"__proto__":{"sub":"u1"}}')}.s`,
    ])('are refused with words when they cannot be read (%#)', async (given) => {
      visit(`/auth/callback?callback=${APP}#access_token=${given}`)
      renderApp(<CallbackScreen />)
      expect(
        await screen.findByRole('heading', { name: "This link can't be opened" }),
      ).toBeVisible()
      expect(left()).toEqual([])
    })
  })

  it.each([
    [`callback=https://evil.example#access_token=secret`, /does not lead back/],
    [`callback=${LOOPBACK}#access_token=secret`, /does not lead back/],
    [`code=secret&callback=https://evil.example`, /does not lead back/],
  ])('takes secrets out of the address: %s', async (address, words) => {
    visit(`/auth/callback?${address}`)
    renderApp(<CallbackScreen />)
    expect(window.location.href).not.toContain('secret')
    expect(await screen.findByText(words)).toBeVisible()
    expect(left()).toEqual([])
  })

  it('reads what the early script has taken', async () => {
    window.takeSignInAddress = () =>
      `${window.location.origin}/auth/callback?callback=${APP}#error=access_denied`
    visit('/auth/callback')
    renderApp(<CallbackScreen />)
    await waitFor(() => expect(left()).toEqual([`${APP}?error=access_denied`]))
    delete window.takeSignInAddress
  })

  it('tells the app that it failed, and leads back to it', async () => {
    visit(`/auth/callback?callback=${LOOPBACK}&${PKCE}&state=s&error=access_denied`)
    renderApp(<CallbackScreen />)
    const url = `${LOOPBACK}?error=access_denied&state=s`
    await userEvent.click(await screen.findByRole('button', { name: /Back to the app/ }))
    expect(left()).toEqual([url, url])
  })

  it('goes home with an error and no app', async () => {
    visit('/auth/callback?error=access_denied')
    renderApp(<CallbackScreen />)
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
  })
})

describe('/auth/error', () => {
  it.each([
    ['email_not_verified', 'Your e-mail address is not verified'],
    ['account_disabled', 'This account is disabled'],
    ['sign_in_expired', 'That took too long'],
    ['sign_in_interrupted', 'The sign-in was interrupted'],
    ['unknown', 'Sign-in did not work'],
  ] as const)('has a fixed text for %s', async (code, title) => {
    onGet('/api/auth/kratos/self-service/errors', () => ({ code }))
    visit(`/auth/error?id=${FLOW}`)
    const { container } = renderApp(<AuthErrorScreen />)
    expect(await screen.findByRole('heading', { name: title })).toBeVisible()
    expect(await violations(container)).toEqual([])
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
    '{"search":7,"at":"x"}',
    JSON.stringify({ search: 'callback=https://evil.example', at: Date.now() }),
    JSON.stringify({ search: `callback=${APP}`, at: Date.now() - 31 * 60_000 }),
  ])('does not believe a note of %s', async (note) => {
    sessionStorage.setItem('fledge_pending_app', note)
    onGet('/api/auth/kratos/self-service/errors', () => ({ code: 'unknown' as const }))
    visit(`/auth/error?id=${FLOW}`)
    renderApp(<AuthErrorScreen />)
    expect(await screen.findByRole('heading', { name: 'Sign-in did not work' })).toBeVisible()
    expect(screen.queryByRole('button', { name: /Back to the app/ })).not.toBeInTheDocument()
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
    if (message) message.context = { duplicate_identifier: 'jane@fledge.test', provider: 'apple' }
    const { container } = openFlow(flow)
    expect(
      await screen.findByRole('heading', { name: 'You already have an account' }),
    ).toBeVisible()
    expect(screen.getByText(/jane@fledge\.test signs in with Google/)).toBeVisible()
    expect(screen.queryByRole('button', { name: /Apple/ })).not.toBeInTheDocument()
    expect(await violations(container)).toEqual([])

    const button = screen.getByRole('button', { name: 'Continue with Google' })
    await userEvent.click(button)
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(button).toBeDisabled()
    expect(bodies).toEqual([['/api/auth/signin/google', { flow: FLOW }]])
  })

  it('says that the wrong account was used', async () => {
    openFlow(aFlow(4010009))
    expect(await screen.findByText(/That was another account/)).toHaveAttribute('role', 'alert')
  })

  it('tells the app that its sign-in was refused', async () => {
    const return_to = `http://localhost:8080/auth/callback?callback=${encodeURIComponent(APP)}&state=s`
    openFlow(aFlow(4000001, { return_to }))
    await waitFor(() => expect(left()).toHaveLength(1))
    expect(left()[0]).toMatch(/^fledge:\/\/auth\/callback\?error=access_denied&.*state=s$/)
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
    expect(button).toBeEnabled()
    expect(bodies).toEqual([{ return_to: '/auth/callback?redirect=%2Fadmin' }])
  })

  it('shows the guard message for an address that is not verified', async () => {
    onGet('/api/auth/kratos/self-service/registration/flows', () => aFlow(900100))
    visit(`/signin?flow=${FLOW}&kind=registration`)
    renderApp(<SignInScreen />)
    expect(
      await screen.findByRole('heading', { name: 'Your e-mail address is not verified' }),
    ).toBeVisible()
  })

  it('tells an expired sign-in from a server that cannot be reached', async () => {
    onGet('/api/auth/kratos/self-service/login/flows', () => failure(404, 'Not found.'))
    visit(`/signin?flow=${FLOW}`)
    const first = renderApp(<SignInScreen />)
    expect(await screen.findByText(/has expired/)).toBeVisible()
    first.unmount()
    onGet('/api/auth/kratos/self-service/login/flows', offline)
    renderApp(<SignInScreen />)
    expect(await screen.findByText('Network error. Please try again.')).toBeVisible()
  })
})

describe('/upgrade', () => {
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
