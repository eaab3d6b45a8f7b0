import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onPost } from '@/testing/server'
import { leaveTo } from '@/lib/leave'
import { aSession, managerOf } from '@/testing/session'
import { pendingSignIn } from './pending-app'
import { SignInStarter } from './sign-in-starter'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))

const APP = 'fledge://auth/callback'
const LOOPBACK = 'http://127.0.0.1:49152/auth/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const PKCE = `code_challenge=${CHALLENGE}&code_challenge_method=S256`
const PROVIDER = 'https://provider.example/authorize'

const left = () => vi.mocked(leaveTo).mock.calls.map(([url]) => url)

const settings: { handOff: { links: string[] } } = { handOff: { links: [] } }
const config = { answers: true }
vi.mock('@/config/settings', () => ({
  knownSettings: async () => {
    if (!config.answers) throw new Error('503')
    return settings
  },
}))

beforeEach(() => {
  vi.mocked(leaveTo).mockClear()
  settings.handOff = { links: [] }
  config.answers = true
})

describe('/auth', () => {
  const starts: { path: string; body: unknown }[] = []
  beforeEach(() => {
    starts.length = 0
    onPost('/api/auth/signin/{provider}', ({ url, body }) => {
      starts.push({ path: url.pathname + url.search, body })
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

  it.each([
    ['cookieEnabled', false, /^This browser blocks cookies/],
    ['userAgent', 'Mozilla/5.0 (iPhone) Instagram 300.0', /in the browser of Instagram/],
  ] as const)('says what to do before it goes to the provider: %s', async (name, value, text) => {
    const browser = vi.spyOn(navigator, name, 'get').mockReturnValue(value as never)
    visit(`/auth?provider=google&callback=${APP}`)
    const { container } = renderApp(<SignInStarter />)
    expect(await screen.findByText(text)).toBeVisible()
    expect(left()).toEqual([])
    expect(starts).toEqual([])
    expect(await violations(container)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Continue with Google' }))
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(pendingSignIn()?.before).toBeNull()
    browser.mockRestore()
  })

  const token = `h.${btoa(JSON.stringify({ sid: 'device' }))}.s`

  it.each([
    ['google', ''],
    ['apple', '?refresh=true'],
  ])('asks %s again if the browser is signed in otherwise: %s', async (provider, query) => {
    visit(`/auth?provider=${provider}&callback=${APP}`)
    renderApp(<SignInStarter />, { session: aSession({ access_token: token }) })
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(starts[0]?.path).toBe(`/api/auth/signin/${provider}${query}`)
    expect(pendingSignIn()?.before).toBe('device')
  })

  it('remembers that nobody was signed in, or that it does not know', async () => {
    visit(`/auth?provider=google&callback=${APP}`)
    const first = renderApp(<SignInStarter />)
    await waitFor(() => expect(left()).toHaveLength(1))
    expect(pendingSignIn()?.before).toBeNull()
    first.unmount()

    const read = () => Promise.reject(new Error('503'))
    visit(`/auth?provider=google&callback=${APP}`)
    const second = renderApp(<SignInStarter />, { manager: managerOf(null, { read }) })
    await waitFor(() => expect(left()).toHaveLength(2))
    expect(pendingSignIn()?.before).toBeUndefined()
    second.unmount()

    const back = `${window.location.origin}/auth/callback?callback=${APP}`
    onPost('/api/auth/signin/{provider}', () => ({ url: back }))
    visit(`/auth?provider=google&callback=${APP}`)
    renderApp(<SignInStarter />)
    await waitFor(() => expect(left()[2]).toBe(back))
    expect(pendingSignIn()?.before).toBeUndefined()
  })

  it('does not ask for a session where nobody seems to be signed in', async () => {
    const read = vi.fn(async () => null)
    visit(`/auth?provider=google&callback=${APP}`)
    renderApp(<SignInStarter />, { manager: managerOf(null, { expected: () => false, read }) })
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(pendingSignIn()?.before).toBeNull()
    expect(read).not.toHaveBeenCalled()
  })

  it('lets whoever comes back from the provider choose again', async () => {
    visit(`/auth?provider=google&callback=${LOOPBACK}&state=s&${PKCE}`)
    renderApp(<SignInStarter />)
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    const event = new Event('pageshow') as PageTransitionEvent
    Object.defineProperty(event, 'persisted', { value: true })
    act(() => void window.dispatchEvent(event))
    await userEvent.click(await screen.findByRole('button', { name: 'Continue with Apple' }))
    await waitFor(() => expect(left()).toHaveLength(2))
    expect(starts[1]).toEqual({ path: '/api/auth/signin/apple', body: starts[0]?.body })
  })

  it.each(['/auth', '/auth?provider=google', `/auth?callback=${APP}`])(
    'logs that %s is incomplete and says so',
    async (address) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      visit(address)
      renderApp(<SignInStarter />)
      expect(await screen.findByText(/is incomplete/)).toBeVisible()
      expect(log).toHaveBeenCalledOnce()
      expect(left()).toEqual([])
    },
  )

  describe('asked by an OAuth library', () => {
    const oauth = `/auth?response_type=code&client_id=any&scope=all&redirect_uri=${encodeURIComponent(LOOPBACK)}&state=s`
    const asked = `callback=${encodeURIComponent(LOOPBACK)}&state=s&${PKCE}`

    it('lets the person choose, and starts as for ours', async () => {
      visit(`${oauth}&${PKCE}`)
      renderApp(<SignInStarter />)
      await userEvent.click(await screen.findByRole('button', { name: 'Continue with Google' }))
      await waitFor(() => expect(left()).toEqual([PROVIDER]))
      expect(starts).toEqual([
        { path: '/api/auth/signin/google', body: { return_to: `/auth/callback?${asked}` } },
      ])
      expect(pendingSignIn()?.before).toBeNull()
    })

    it('asks who is signed in for consent', async () => {
      visit(`${oauth}&${PKCE}`)
      renderApp(<SignInStarter />, { session: aSession({ access_token: token }) })
      await waitFor(() => expect(left()).toEqual([`/auth/callback?${asked}`]))
      expect(pendingSignIn()?.before).toBeUndefined()
    })

    it('takes a provider, too', async () => {
      visit(`${oauth}&${PKCE}&provider=apple`)
      renderApp(<SignInStarter />)
      await waitFor(() => expect(left()).toEqual([PROVIDER]))
      expect(starts[0]?.path).toBe('/api/auth/signin/apple')
    })

    const fledge = `/auth?redirect_uri=${encodeURIComponent(APP)}&state=s`
    it.each([
      ['unsupported_response_type', `${fledge}&response_type=token&${PKCE}`],
      ['invalid_request', `${fledge}&${PKCE}`],
      ['invalid_request', `${fledge}&response_type=code&response_type=code&${PKCE}`],
      ['invalid_request', `${fledge}&response_type=code`],
      ['invalid_request', `${fledge}&response_type=code&${PKCE}&provider=other`],
    ])('tells the app %s for %s', async (error, address) => {
      visit(address)
      renderApp(<SignInStarter />)
      await waitFor(() => expect(left()).toHaveLength(1))
      const told = new URL(left()[0] ?? '')
      expect(told.href).toMatch(/^fledge:\/\/auth\/callback\?/)
      expect(told.searchParams.get('error')).toBe(error)
      expect(told.searchParams.get('state')).toBe('s')
    })

    const loopback = `/auth?response_type=code&redirect_uri=${encodeURIComponent(LOOPBACK)}`
    it.each([
      ['s', `&state=s&code_challenge=${CHALLENGE}&code_challenge_method=plain`],
      ['s', `&state=s&code_challenge=${CHALLENGE}`],
      ['s', '&state=s&code_challenge=short&code_challenge_method=S256'],
      ['s', '&state=s'],
      ['s', `&state=s&${PKCE}&${PKCE}`],
      [null, `&state=s&state=t&${PKCE}`],
      [null, `&state=&${PKCE}`],
      [null, `&state=%E2%82%AC&${PKCE}`],
    ])('tells the app with the state %s that its request is none: %s', async (state, rest) => {
      visit(loopback + rest)
      renderApp(<SignInStarter />)
      await waitFor(() => expect(left()).toHaveLength(1))
      const told = new URL(left()[0] ?? '')
      expect(told.origin + told.pathname).toBe(LOOPBACK)
      expect(told.searchParams.get('error')).toBe('invalid_request')
      expect(told.searchParams.get('state')).toBe(state)
    })

    it.each(['https://evil.example/cb', `${APP}&redirect_uri=${APP}`])(
      'tells nobody at %s',
      async (callback) => {
        const log = vi.spyOn(console, 'error').mockImplementation(() => {})
        visit(`/auth?response_type=code&${PKCE}&redirect_uri=${callback}`)
        renderApp(<SignInStarter />)
        expect(await screen.findByText(/does not lead back to the app/)).toBeVisible()
        expect(log).toHaveBeenCalledOnce()
        expect(left()).toEqual([])
      },
    )

    it.each(['https://app.fledge.example/cb', 'com.example.fledge:/cb'])(
      'leads to the further link %s of the installation, exactly',
      async (link) => {
        vi.spyOn(console, 'error').mockImplementation(() => {})
        settings.handOff = { links: [link] }
        visit(`/auth?response_type=code&${PKCE}&redirect_uri=${link}&provider=google`)
        const first = renderApp(<SignInStarter />)
        await waitFor(() => expect(left()).toEqual([PROVIDER]))
        first.unmount()
        visit(`/auth?response_type=code&${PKCE}&redirect_uri=${link}/&provider=google`)
        renderApp(<SignInStarter />)
        expect(await screen.findByText(/does not lead back to the app/)).toBeVisible()
      },
    )
  })

  it('refuses no link that the app may have while the settings cannot be read, and goes on after', async () => {
    const link = 'https://late.fledge.example/cb'
    config.answers = false
    visit(`/auth?provider=google&callback=${link}&state=s&${PKCE}`)
    const { container } = renderApp(<SignInStarter />)
    const title = "We can't reach the server"
    expect(await screen.findByRole('heading', { name: title })).toBeVisible()
    expect(await violations(container)).toEqual([])
    expect(left()).toEqual([])
    config.answers = true
    settings.handOff = { links: [link] }
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
    expect(pendingSignIn()?.app.callback).toBe(link)
  })

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
    visit(`/auth?provider=google&callback=${APP}&state=s1`)
    renderApp(<SignInStarter />)
    await waitFor(() => expect(left()[1]).toBe(`${APP}?error=Authentication+failed&state=s1`))
  })

  it('opens the app once, however often the page is loaded', async () => {
    visit(`/auth?provider=facebook&callback=${encodeURIComponent(APP)}`)
    const first = renderApp(<SignInStarter />)
    await waitFor(() => expect(left()).toHaveLength(1))
    expect(new URLSearchParams(window.location.search).get('opened')).toBe('1')
    first.unmount()

    const { container } = renderApp(<SignInStarter />)
    expect(await screen.findByRole('heading', { name: "Sign-in didn't work" })).toBeVisible()
    expect(left()).toHaveLength(1)
    expect(await violations(container)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Back to the app on your Mac' }))
    expect(left()).toEqual(Array(2).fill(`${APP}?error=Authentication+failed`))
  })

  it('goes on to the provider where an earlier start has told the app that it failed', async () => {
    onPost('/api/auth/signin/{provider}', () => failure(503, 'Google is not available.'))
    const address = `/auth?provider=google&callback=${APP}&state=s1&opened=1`
    visit(address)
    const first = renderApp(<SignInStarter />)
    expect(await screen.findByRole('heading', { name: "Sign-in didn't work" })).toBeVisible()
    expect(left()).toEqual([])
    first.unmount()

    onPost('/api/auth/signin/{provider}', () => ({ url: PROVIDER }))
    visit(address)
    renderApp(<SignInStarter />)
    await waitFor(() => expect(left()).toEqual([PROVIDER]))
  })
})
