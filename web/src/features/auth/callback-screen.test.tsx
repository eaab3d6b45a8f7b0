import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { type AppRequest, readAppRequest } from './app-request'
import { CallbackScreen } from './callback-screen'
import { leaveTo } from '@/lib/leave'
import { pendingSignIn, rememberApp } from './pending-app'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))
const settings = vi.hoisted(() => ({ handOff: { tokens: true, links: [] as string[] } }))
const config = vi.hoisted(() => ({ answers: true }))
vi.mock('@/config/settings', () => ({
  knownSettings: async () => {
    if (!config.answers) throw new Error('503')
    return settings
  },
}))

const APP = 'fledge://auth/callback'
const LOOPBACK = 'http://127.0.0.1:49152/auth/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const PKCE = `code_challenge=${CHALLENGE}&code_challenge_method=S256`

const token = (claims: object) => `h.${btoa(JSON.stringify(claims))}.s`

/** The request of an app at a link, with a challenge where one is needed. */
function appAt(callback: string): AppRequest {
  const query = new URLSearchParams(callback === LOOPBACK ? PKCE : '')
  query.set('callback', callback)
  query.set('state', 's')
  return readAppRequest(query) as AppRequest
}

const left = () => vi.mocked(leaveTo).mock.calls.map(([url]) => url)

beforeEach(() => {
  vi.mocked(leaveTo).mockClear()
  router.replace.mockClear()
  settings.handOff = { tokens: true, links: [] }
  config.answers = true
  sessionStorage.clear()
})

describe('/auth/callback', () => {
  /** Opens the page with somebody signed in, and lets the second pass that it waits, and the moment until clicks count. */
  async function arrive(address: string, manager = managerOf(aSession())) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    visit(address)
    const rendered = renderApp(<CallbackScreen />, { manager })
    await act(() => vi.advanceTimersByTimeAsync(1000))
    await act(() => vi.advanceTimersByTimeAsync(500))
    vi.useRealTimers()
    return rendered
  }
  afterEach(() => void vi.useRealTimers())

  const success = () => screen.findByRole('heading', { name: 'Authentication Successful!' })

  /** Agrees, once a click counts. */
  async function agree() {
    const button = await screen.findByRole('button', { name: 'Continue' })
    await waitFor(() => expect(button).not.toHaveAttribute('aria-disabled'))
    await userEvent.click(button)
  }
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

    it.each([
      [APP, 'Sign in to Fledge on your Mac?'],
      [LOOPBACK, 'Sign in a program on this computer?'],
    ])('opens %s with a fresh code, each time, when the person agrees', async (callback, title) => {
      const { container } = await arrive(`/auth/callback?callback=${callback}&state=s%26t&${PKCE}`)
      await waitFor(async () =>
        expect(await screen.findByRole('heading', { name: title })).toHaveFocus(),
      )
      expect(screen.getByText('jane@fledge.test')).toBeVisible()
      expect(screen.getByText('J')).toBeVisible()
      expect(screen.getByText(new RegExp(callback.replaceAll('.', '\\.')))).toBeVisible()
      expect(await violations(container)).toEqual([])
      expect(asked).toEqual([])
      expect(left()).toEqual([])
      await agree()
      await waitFor(async () => expect(await success()).toHaveFocus())
      expect(screen.getByText('Signed in as jane@fledge.test')).toBeVisible()
      expect(screen.getByText('You can now return to the app on your Mac')).toBeVisible()
      expect(left()).toEqual([`${callback}?code=code-1&state=s%26t`])
      const body = { callback, code_challenge: CHALLENGE, code_challenge_method: 'S256' }
      expect(asked).toEqual([{ body, bearer: 'token-1' }])

      await userEvent.click(openButton())
      await waitFor(() => expect(left()[1]).toBe(`${callback}?code=code-2&state=s%26t`))
      expect(asked).toHaveLength(2)
      expect(await violations(container)).toEqual([])
    })

    it('asks again after a reload, or in a copy of the tab', async () => {
      const first = await arrive(`/auth/callback?callback=${APP}&state=s&${PKCE}`)
      await agree()
      await success()
      first.unmount()
      const { pathname, search } = window.location

      await arrive(pathname + search)
      await screen.findByRole('button', { name: 'Continue' })
      expect(asked).toHaveLength(1)
      expect(left()).toEqual([`${APP}?code=code-1&state=s`])
    })

    it('takes no click that may have been meant for another page', async () => {
      await arrive(`/auth/callback?callback=${APP}&${PKCE}`)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      act(() => void window.dispatchEvent(new Event('focus')))
      const button = screen.getByRole('button', { name: 'Continue' })
      fireEvent.click(button)
      await act(() => vi.advanceTimersByTimeAsync(499))
      fireEvent.click(button)
      expect(asked).toEqual([])
      await act(() => vi.advanceTimersByTimeAsync(1))
      fireEvent.click(button)
      vi.useRealTimers()
      expect(await success()).toBeVisible()
    })

    describe('after a sign-in for the app', () => {
      const before = aSession({ access_token: token({ sid: 'before' }) })
      const after = aSession({ access_token: token({ sid: 'after' }) })

      it.each([null, 'before'])('opens its link at once (device before: %s)', async (device) => {
        rememberApp(appAt(APP), device)
        await arrive(`/auth/callback?callback=${APP}&state=s`, managerOf(after))
        expect(await success()).toBeVisible()
        expect(left()).toEqual([`${APP}?code=code-1&state=s`])
      })

      it.each([
        ['the session was there before', APP, 'before', before],
        ['it is unknown who was here before', APP, undefined, after],
        ['the token does not name its device', APP, null, aSession()],
        ['nobody knows who listens', LOOPBACK, null, after],
      ])('asks when %s', async (_, callback, device, session) => {
        rememberApp(appAt(callback), device)
        const pkce = callback === LOOPBACK ? `&${PKCE}` : ''
        await arrive(`/auth/callback?callback=${callback}&state=s${pkce}`, managerOf(session))
        await agree()
        expect(left()).toHaveLength(1)
      })

      it('asks when another request began it', async () => {
        rememberApp(appAt(APP), null)
        await arrive(`/auth/callback?callback=${APP}&state=another`, managerOf(after))
        await screen.findByRole('button', { name: 'Continue' })
        expect(left()).toEqual([])
      })
    })

    it('lets the person use another account, and asks the provider for it', async () => {
      const starts: unknown[] = []
      onPost('/api/auth/signin/{provider}', ({ url, body }) => {
        starts.push([url.pathname + url.search, body])
        return { url: 'https://provider.example/authorize' }
      })
      await arrive(`/auth/callback?callback=${APP}&state=s`)
      const button = screen.getByRole('button', { name: 'Use another account' })
      await waitFor(() => expect(button).not.toHaveAttribute('aria-disabled'))
      await userEvent.click(button)
      await userEvent.click(await screen.findByRole('button', { name: 'Continue with Apple' }))
      await waitFor(() => expect(left()).toEqual(['https://provider.example/authorize']))
      const return_to = `/auth/callback?${new URLSearchParams({ callback: APP, state: 's' })}`
      expect(starts).toEqual([['/api/auth/signin/apple?refresh=true', { return_to }]])
      expect(pendingSignIn()?.app).toEqual(appAt(APP))
    })

    it('asks again, for the other account, when another tab has signed in somebody else', async () => {
      const other = {
        ...aSession().user,
        id: '00000000-0000-4000-8000-000000000001',
        email: 'joe@fledge.test',
      }
      const answers = [aSession(), aSession({ access_token: 'token-2', user: other })]
      onPost('/api/auth/hand-off', ({ bearer }) =>
        bearer === 'token-1' ? failure(401, 'Please sign in.') : { code: 'joe', expires_in: 60 },
      )
      const manager = managerOf(null, { read: async () => answers.shift() ?? null })
      await arrive(`/auth/callback?callback=${APP}&${PKCE}`, manager)
      await agree()
      expect(await screen.findByText('joe@fledge.test')).toBeVisible()
      expect(left()).toEqual([])
      await agree()
      await success()
      expect(left()).toEqual([`${APP}?code=joe`])
    })

    it('rests while a code is on its way', async () => {
      await arrive(`/auth/callback?callback=${APP}&${PKCE}`)
      await agree()
      await success()
      let answer: (value: { code: string; expires_in: number }) => void = () => {}
      onPost('/api/auth/hand-off', () => new Promise((resolve) => (answer = resolve)))
      await userEvent.click(openButton())
      await waitFor(async () =>
        expect(await screen.findByRole('button', { name: 'Opening Fledge...' })).toHaveAttribute(
          'aria-disabled',
          'true',
        ),
      )
      await waitFor(() => {
        answer({ code: 'late', expires_in: 60 })
        expect(left()[1]).toBe(`${APP}?code=late`)
      })
      await waitFor(() => expect(openButton()).not.toHaveAttribute('aria-disabled'))
    })

    it('says why it cannot be opened again, and tries again', async () => {
      await arrive(`/auth/callback?callback=${APP}&${PKCE}`)
      await agree()
      await success()
      onPost('/api/auth/hand-off', offline)
      await userEvent.click(openButton())
      expect(await screen.findByText('Network error. Please try again.')).toBeVisible()
      onPost('/api/auth/hand-off', () => ({ code: 'again', expires_in: 60 }))
      await userEvent.click(openButton())
      await waitFor(() => expect(left()[1]).toBe(`${APP}?code=again`))
      await waitFor(() => expect(screen.queryByText(/Network error/)).not.toBeInTheDocument())
    })

    it('lets the person try again when it fails at first', async () => {
      onPost('/api/auth/hand-off', () => failure(503, 'Please try again in a moment.'))
      const { container } = await arrive(`/auth/callback?callback=${APP}&${PKCE}`)
      await agree()
      const title = "Fledge on your Mac isn't signed in yet"
      await waitFor(async () =>
        expect(await screen.findByRole('heading', { name: title })).toHaveFocus(),
      )
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
      await agree()
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
      await agree()
      expect(await screen.findByText(/have been signed out/)).toBeVisible()
      await waitFor(() =>
        expect(screen.queryByRole('button', { name: 'Try again' })).not.toBeInTheDocument(),
      )
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
      await agree()
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
      await agree()
      expect(await screen.findByText(/no longer accepted/)).toBeVisible()
      await waitFor(() => expect(screen.queryByRole('button')).not.toBeInTheDocument())
      expect(left()).toEqual([])
    })
  })

  describe('tokens in its own hash', () => {
    const address = `/auth/callback?callback=${APP}&state=s#access_token=given&refresh_token=r`

    it('go to the app when the API knows them and the person agrees', async () => {
      const owner = { ...aSession().user, email: 'ann@fledge.test' }
      onGet('/api/auth/user', ({ bearer }) => (bearer === 'given' ? owner : failure(401, 'No.')))
      visit(address)
      const { container } = renderApp(<CallbackScreen />)
      expect(window.location.hash).toBe('')
      const title = 'Sign in to Fledge on your Mac?'
      await waitFor(async () =>
        expect(await screen.findByRole('heading', { name: title })).toHaveFocus(),
      )
      expect(screen.getByText('ann@fledge.test')).toBeVisible()
      expect(left()).toEqual([])
      expect(await violations(container)).toEqual([])
      await agree()
      expect(await success()).toBeVisible()
      expect(screen.getByText('Signed in as ann@fledge.test')).toBeVisible()
      await userEvent.click(openButton())
      expect(left()).toHaveLength(2)
      const values = new URLSearchParams(left()[1]?.split('#')[1])
      expect(Object.fromEntries(values)).toEqual({
        access_token: 'given',
        refresh_token: 'r',
        user_id: owner.id,
        email: 'ann@fledge.test',
        state: 's',
      })
    })

    it('stay here where tokens are switched off', async () => {
      settings.handOff.tokens = false
      visit(address)
      renderApp(<CallbackScreen />)
      expect(await screen.findByText(/no longer accepted/)).toBeVisible()
      expect(left()).toEqual([])
    })

    it.each([
      ['by itself', 10_000],
      ['by the button', 0],
    ])('wait for an API that does not answer, which is asked again %s', async (_how, ms) => {
      onGet('/api/auth/user', offline)
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
      visit(address)
      renderApp(<CallbackScreen />)
      const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
      await pass(1000)
      await pass(1000)
      expect(
        await screen.findByRole('heading', { name: "We can't reach the server" }),
      ).toBeVisible()
      onGet('/api/auth/user', () => aSession().user)
      if (ms === 0) await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
      await pass(ms)
      const title = 'Sign in to Fledge on your Mac?'
      expect(await screen.findByRole('heading', { name: title })).toBeVisible()
    })

    it('are asked about once at a time', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
      let asked = 0
      onGet('/api/auth/user', () => {
        asked += 1
        return offline()
      })
      visit(address)
      renderApp(<CallbackScreen />)
      const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))
      await pass(1000)
      await pass(1000)
      const button = await screen.findByRole('button', { name: 'Try again' })
      expect(asked).toBe(3)
      let answer = () => {}
      onGet('/api/auth/user', async () => {
        asked += 1
        await new Promise<void>((resolve) => (answer = resolve))
        return aSession().user
      })
      await userEvent.click(button)
      await waitFor(() => expect(asked).toBe(4))
      await pass(10_000)
      expect(asked).toBe(4)
      answer()
      const title = 'Sign in to Fledge on your Mac?'
      expect(await screen.findByRole('heading', { name: title })).toBeVisible()
    })

    it('are refused with words when the API refuses them', async () => {
      onGet('/api/auth/user', () => failure(401, 'Your session is no longer valid.'))
      visit(address)
      renderApp(<CallbackScreen />)
      expect(
        await screen.findByRole('heading', { name: "This link can't be opened" }),
      ).toBeVisible()
      expect(screen.queryByText(/Successful/)).not.toBeInTheDocument()
      expect(left()).toEqual([])
    })
  })

  it('says that the account is disabled', async () => {
    await arrive('/auth/callback', managerOf(null, { read: async () => 'disabled' }))
    const title = { name: 'This account is disabled' }
    expect(await screen.findByRole('heading', title)).toBeVisible()
    expect(screen.getByRole('link', { name: /^support@/ })).toBeVisible()
    expect(router.replace).not.toHaveBeenCalled()
  })

  describe('while the settings of the installation cannot be read', () => {
    const unreachable = () => screen.findByRole('heading', { name: "We can't reach the server" })
    const tokens = `/auth/callback?callback=${APP}#access_token=given`
    beforeEach(() => {
      config.answers = false
      onGet('/api/auth/user', () => aSession().user)
    })

    it('refuses no link that the app may have, and still knows who began the sign-in', async () => {
      const link = 'https://app.fledge.example/cb'
      const begun = `callback=${encodeURIComponent(link)}&state=s&${PKCE}`
      const value = { request: begun, before: null }
      sessionStorage.setItem('fledge_pending_app', JSON.stringify({ value, at: Date.now() }))
      onPost('/api/auth/hand-off', () => ({ code: 'c', expires_in: 60 }))
      visit(`/auth/callback?callback=${link}&state=s&${PKCE}`)
      renderApp(<CallbackScreen />, {
        session: aSession({ access_token: token({ sid: 'after' }) }),
      })
      expect(await unreachable()).toBeVisible()
      expect(left()).toEqual([])
      config.answers = true
      settings.handOff.links = [link]
      await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
      expect(await success()).toBeVisible()
      expect(left()).toEqual([`${link}?code=c&state=s`])
    })

    it.each([
      ['goes on with tokens', true, 'Sign in to Fledge on your Mac?'],
      ['refuses tokens', false, "This link can't be opened"],
    ])('%s no sooner than it knows whether they may pass', async (_, allowed, title) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
      visit(tokens)
      renderApp(<CallbackScreen />)
      await act(() => vi.advanceTimersByTimeAsync(2000))
      expect(await unreachable()).toBeVisible()
      expect(left()).toEqual([])
      config.answers = true
      settings.handOff.tokens = allowed
      await act(() => vi.advanceTimersByTimeAsync(10_000))
      expect(await screen.findByRole('heading', { name: title })).toBeVisible()
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

  it('reads what was taken out of the address before React started', async () => {
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

  it('tells the app once, however often the page is loaded', async () => {
    visit(`/auth/callback?callback=${APP}&error=access_denied`)
    const first = renderApp(<CallbackScreen />)
    await screen.findByRole('button', { name: /Back to the app/ })
    first.unmount()
    renderApp(<CallbackScreen />)
    await screen.findByRole('button', { name: /Back to the app/ })
    expect(left()).toHaveLength(1)
  })

  it.each([
    ['signed in', aSession(), '/profile'],
    ['signed out', null, '/'],
  ])(
    'keeps its address while the server does not answer, and goes on: %s',
    async (_, answer, end) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      const read = vi.fn<() => Promise<ReturnType<typeof aSession> | null>>()
      read.mockRejectedValue(new Error('503'))
      visit('/auth/callback?redirect=%2Fprofile')
      renderApp(<CallbackScreen />, { manager: managerOf(null, { read, expected: () => false }) })
      await act(() => vi.advanceTimersByTimeAsync(2999))
      expect(screen.getByText('Signing you in...')).toBeVisible()
      await act(() => vi.advanceTimersByTimeAsync(1))
      expect(screen.getByRole('heading', { name: "We can't reach the server" })).toHaveFocus()
      expect(router.replace).not.toHaveBeenCalled()
      expect(window.location.search).toBe('?redirect=%2Fprofile')

      read.mockResolvedValue(answer)
      fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
      await act(() => vi.advanceTimersByTimeAsync(4000))
      expect(router.replace.mock.calls).toEqual([[end]])
    },
  )

  it('goes home with an error and no app', async () => {
    visit('/auth/callback?error=access_denied')
    renderApp(<CallbackScreen />)
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
  })
})
