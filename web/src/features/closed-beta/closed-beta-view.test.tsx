import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { LatestDownloads, WaitlistStatus } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { ClosedBetaView } from './closed-beta-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const cannon = vi.hoisted(() => ({ burst: vi.fn(), clear: vi.fn() }))
vi.mock('./feather-cannon', () => ({ featherCannon: () => cannon }))

function reducedMotion(matches: boolean) {
  vi.stubGlobal('matchMedia', () => ({ matches, addEventListener() {}, removeEventListener() {} }))
}

beforeEach(() => {
  cannon.burst.mockClear()
  cannon.clear.mockClear()
  reducedMotion(true)
})

function statusIs(status: WaitlistStatus | null) {
  onGet('/api/get-waitlist-status', ({ bearer }) =>
    bearer === 'token-1' ? { status } : failure(401, 'Please sign in.'),
  )
}

const builds: LatestDownloads = {
  arm64: { url: '/api/download/1.2.3/a.dmg', filename: 'a.dmg', version: '1.2.3' },
  x64: { url: '/api/download/1.2.3/x.dmg', filename: 'x.dmg', version: '1.2.3' },
}

describe('/closed-beta', () => {
  it('is checking until somebody is known', () => {
    const manager = managerOf(null, { read: () => new Promise(() => {}) })
    renderApp(<ClosedBetaView />, { manager })
    expect(screen.getByText('Checking access...')).toBeVisible()
  })

  it('offers a signed-out visitor to sign in and come back here', async () => {
    const bodies: unknown[] = []
    onPost('/api/auth/signin/{provider}', ({ body }) => {
      bodies.push(body)
      return failure(503, 'Google is not available.')
    })
    const { container } = renderApp(<ClosedBetaView />)
    expect(await screen.findByRole('heading', { name: 'Closed Beta' })).toBeVisible()
    expect(
      screen.getByText('Sign in to check your closed beta access status and download the app.'),
    ).toBeVisible()
    expect(screen.getByRole('contentinfo')).toBeVisible()
    expect(await violations(container)).toEqual([])

    await userEvent.click(screen.getByRole('button', { name: 'Sign In' }))
    await userEvent.click(screen.getByRole('button', { name: 'Continue with Google' }))
    expect(await screen.findByText('Google is not available.')).toBeVisible()
    expect(bodies).toEqual([{ return_to: '/auth/callback?redirect=%2Fclosed-beta' }])
  })

  it.each([
    ['pending', 'Your waitlist application is pending approval.'],
    ['rejected', 'Your waitlist application is under review.'],
  ] as const)('tells a %s person where they stand', async (status, text) => {
    statusIs(status)
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByText(text)).toBeVisible()
    expect(
      screen.getByText("We'll notify you when you get access to the closed beta."),
    ).toBeVisible()
    expect(screen.getByRole('link', { name: 'Go to Profile' })).toHaveAttribute('href', '/profile')
    expect(screen.getByRole('heading', { name: 'Closed Beta' })).not.toHaveFocus()
    expect(await violations(container)).toEqual([])
  })

  it('puts a person on the waitlist who is not on it, with their own address', async () => {
    let status: WaitlistStatus | null = null
    onGet('/api/get-waitlist-status', () => ({ status }))
    onPost('/api/add-waitlist-user', ({ body }) => {
      expect(body).toEqual({ email: 'jane@fledge.test', source: 'cta_section' })
      status = 'pending'
      return { message: "You're on the waitlist!" }
    })
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    const field = await screen.findByLabelText('Email address')
    expect(field).toHaveValue('jane@fledge.test')
    expect(field).toHaveAttribute('readonly')
    expect(screen.getByText('You join with the email address you sign in with.')).toBeVisible()
    expect(await violations(container)).toEqual([])
    screen.getByRole('button', { name: 'Join Waitlist' }).focus()
    await userEvent.keyboard('{Enter}')
    expect(await screen.findByText('Your waitlist application is pending approval.')).toBeVisible()
    expect(screen.getByRole('status')).toHaveTextContent("You're on the waitlist!")
    const heading = screen.getByRole('heading', { name: 'Closed Beta' })
    await waitFor(() => expect(heading).toHaveFocus())
    expect(heading).toHaveAccessibleDescription("You're on the waitlist!")
    expect(await violations(container)).toEqual([])
  })

  it('treats a failed look-up as not on the waitlist, and logs it', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onGet('/api/get-waitlist-status', () => failure(403, 'Not allowed.'))
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('button', { name: 'Join Waitlist' })).toBeVisible()
    await waitFor(() => expect(log).toHaveBeenCalled())
  })
})

describe('an approved tester', () => {
  beforeEach(() => statusIs('approved'))

  it('gets a download for each kind of Mac', async () => {
    onGet('/api/get-latest-downloads', () => builds)
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('heading', { name: "You're an early adopter!" })).toBeVisible()
    const arm = await screen.findByRole('link', { name: 'Download for Mac (v1.2.3)' })
    expect(arm).toHaveAttribute('href', '/api/download/1.2.3/a.dmg')
    expect(arm).toHaveAttribute('download', 'a.dmg')
    expect(arm).toHaveAttribute('target', '_blank')
    expect(screen.getByRole('link', { name: 'Download for Intel Mac (v1.2.3)' })).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('sees a button only for a build that exists', async () => {
    onGet('/api/get-latest-downloads', () => ({ x64: builds.x64 }))
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('link', { name: /Intel/ })).toBeVisible()
    await waitFor(() =>
      expect(screen.queryByRole('link', { name: /for Mac/ })).not.toBeInTheDocument(),
    )
  })

  it('sees no button when downloads cannot be loaded', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onGet('/api/get-latest-downloads', () => failure(400, 'No.'))
    renderApp(<ClosedBetaView />, { session: aSession() })
    await waitFor(() => expect(log).toHaveBeenCalled())
    await waitFor(() =>
      expect(screen.queryByRole('link', { name: /Download/ })).not.toBeInTheDocument(),
    )
    await waitFor(() =>
      expect(screen.queryByText(/Loading downloads|No build is ready/)).not.toBeInTheDocument(),
    )
  })

  it('is told when no build is offered', async () => {
    onGet('/api/get-latest-downloads', () => ({}))
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByText(/No build is ready/)).toBeVisible()
  })

  describe('is celebrated', () => {
    beforeEach(() => {
      reducedMotion(false)
      vi.useFakeTimers({ shouldAdvanceTime: true })
      onGet('/api/get-latest-downloads', () => builds)
    })
    afterEach(() => {
      vi.useRealTimers()
    })

    const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms))

    it('half a second later, every 250 ms, for three seconds, once', async () => {
      renderApp(<ClosedBetaView />, { session: aSession() })
      await screen.findByRole('heading', { name: "You're an early adopter!" })
      expect(cannon.burst).not.toHaveBeenCalled()
      await advance(500)
      await waitFor(() => expect(cannon.burst).toHaveBeenCalled())
      await advance(3500)
      const bursts = cannon.burst.mock.calls.length
      expect(bursts).toBeGreaterThanOrEqual(12)
      expect(bursts).toBeLessThanOrEqual(13)
      await advance(10_000)
      expect(cannon.burst).toHaveBeenCalledTimes(bursts)
    })

    it('not in reduced motion', async () => {
      reducedMotion(true)
      renderApp(<ClosedBetaView />, { session: aSession() })
      await screen.findByRole('heading', { name: "You're an early adopter!" })
      await advance(5000)
      expect(cannon.burst).not.toHaveBeenCalled()
    })

    it('no longer once the page is left', async () => {
      const { unmount } = renderApp(<ClosedBetaView />, { session: aSession() })
      await screen.findByRole('heading', { name: "You're an early adopter!" })
      await advance(500)
      await waitFor(() => expect(cannon.burst).toHaveBeenCalled())
      unmount()
      const bursts = cannon.burst.mock.calls.length
      await advance(2000)
      expect(cannon.burst).toHaveBeenCalledTimes(bursts)
      expect(cannon.clear).toHaveBeenCalled()
    })
  })
})
