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

const confetti = vi.hoisted(() => ({ burst: vi.fn(), clear: vi.fn() }))
vi.mock('./confetti', () => ({ createConfetti: () => confetti }))

const REDUCED_MOTION = '(prefers-reduced-motion: reduce)'
const HANDHELD = '(pointer: coarse)'

/** What the browser says yes to. */
function mediaAre(...queries: string[]) {
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: queries.includes(query),
    addEventListener() {},
    removeEventListener() {},
  }))
}

beforeEach(() => {
  confetti.burst.mockClear()
  confetti.clear.mockClear()
  mediaAre(REDUCED_MOTION)
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
    expect(screen.getByText('jane@fledge.test')).toBeVisible()
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

  it('treats a failed look-up as not on the waitlist, logs it, and can try again', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onGet('/api/get-waitlist-status', () => failure(403, 'Not allowed.'))
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('button', { name: 'Join Waitlist' })).toBeVisible()
    expect(screen.getByText("We can't look you up on the waitlist right now.")).toBeVisible()
    expect(screen.queryByText(/You're not on the waitlist yet/)).not.toBeInTheDocument()
    expect(log).toHaveBeenCalled()
    expect(await violations(container)).toEqual([])
    statusIs('pending')
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Your waitlist application is pending approval.')).toBeVisible()
  })
})

describe('somebody who was invited at another address', () => {
  const as = (email: string) => {
    const session = aSession()
    return { ...session, user: { ...session.user, email } }
  }
  const change = () => screen.findByRole('button', { name: 'Use another address' })

  beforeEach(() => statusIs(null))

  it.each([
    [null, 'jane@fledge.test', /Your invitation may have gone to another one/],
    [null, 'x7k2@PrivateRelay.appleid.com', /Apple hid your own address from us/],
    ['pending', 'jane@fledge.test', /Your invitation may have gone to another one/],
    ['rejected', 'x7k2@privaterelay.appleid.com', /Apple hid your own address from us/],
  ] as const)(
    'with the status %s sees that they are %s, and what to do',
    async (status, email, words) => {
      statusIs(status)
      const { container } = renderApp(<ClosedBetaView />, { session: as(email) })
      const section = await screen.findByRole('region', {
        name: 'Did we write to another address?',
      })
      expect(section).toHaveTextContent(`You are signed in as ${email}.`)
      expect(section).toHaveTextContent(words)
      expect(section).toHaveTextContent(/sign out and use the address we wrote to/)
      expect(screen.queryAllByRole('button', { name: 'Join Waitlist' })).toHaveLength(
        status ? 0 : 1,
      )
      expect(await violations(container)).toEqual([])
    },
  )

  it.each([null, 'pending'] as const)(
    'with the status %s signs out and is asked to sign in again',
    async (status) => {
      statusIs(status)
      const end = vi.fn(async () => {})
      renderApp(<ClosedBetaView />, { manager: managerOf(aSession(), { end }) })
      await userEvent.click(await change())
      expect(await screen.findByRole('dialog', { name: 'Sign in' })).toBeVisible()
      expect(screen.getByRole('button', { name: 'Continue with Google' })).toBeVisible()
      expect(end).toHaveBeenCalledExactlyOnceWith('token-1', 'device')
    },
  )

  it('reads that signing out failed, and can try again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const end = vi.fn(() => Promise.reject(new Error('down')))
    renderApp(<ClosedBetaView />, { manager: managerOf(aSession(), { end }) })
    await userEvent.click(await change())
    expect(await screen.findByText("Sign-out didn't work. Please try again.")).toBeVisible()
    expect(await change()).toHaveFocus()
    await userEvent.click(await change())
    await waitFor(() => expect(end).toHaveBeenCalledTimes(2))
  })
})

describe('an approved tester', () => {
  beforeEach(() => {
    statusIs('approved')
    // Their channel is not known; the stable builds are.
    onGet('/api/get-update-channel', () => failure(400, 'No.'))
  })

  it('with a channel of their own gets the pre-release, which says so', async () => {
    onGet('/api/get-update-channel', () => ({
      channel: 'beta' as const,
      isPrerelease: true,
      downloads: { arm64: { ...builds.arm64!, version: '1.3.0-beta.1' } },
    }))
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(
      await screen.findByRole('link', { name: 'Download for Mac (v1.3.0-beta.1)' }),
    ).toBeVisible()
    expect(screen.getByText(/This is a pre-release/)).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('on stable is told of no pre-release', async () => {
    onGet('/api/get-update-channel', () => ({
      channel: 'stable' as const,
      isPrerelease: false,
      downloads: builds,
    }))
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('link', { name: 'Download for Mac (v1.2.3)' })).toBeVisible()
    expect(screen.queryByText(/pre-release/)).not.toBeInTheDocument()
  })

  it('gets a download for each kind of Mac', async () => {
    onGet('/api/get-latest-downloads', () => builds)
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('heading', { name: "You're an early adopter!" })).toBeVisible()
    const arm = await screen.findByRole('link', { name: 'Download for Mac (v1.2.3)' })
    expect(arm).toHaveAttribute('href', '/api/download/1.2.3/a.dmg')
    expect(arm).toHaveAttribute('download', 'a.dmg')
    expect(arm).toHaveAttribute('target', '_blank')
    expect(screen.getByRole('link', { name: 'Download for Intel Mac (v1.2.3)' })).toBeVisible()
    expect(screen.getByText(/Macs since 2020 have Apple silicon/)).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('is noted to have downloaded, however the link is opened', async () => {
    onGet('/api/get-latest-downloads', () => builds)
    const noted = vi.fn()
    onPost('/api/note-download', () => {
      noted()
      return new Response(null, { status: 204 })
    })
    renderApp(<ClosedBetaView />, { session: aSession() })
    const link = await screen.findByRole('link', { name: 'Download for Mac (v1.2.3)' })
    await userEvent.click(link)
    // A menu loads nothing.
    await userEvent.pointer({ keys: '[MouseRight]', target: link })
    await waitFor(() => expect(noted).toHaveBeenCalledOnce())
    await userEvent.pointer({ keys: '[MouseMiddle]', target: link })
    await waitFor(() => expect(noted).toHaveBeenCalledTimes(2))
  })

  it('gets the stable builds at once when their channel is out of order', async () => {
    const asked = vi.fn()
    onGet('/api/get-update-channel', () => {
      asked()
      return failure(503, 'Out of order.')
    })
    onGet('/api/get-latest-downloads', () => builds)
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('link', { name: 'Download for Mac (v1.2.3)' })).toBeVisible()
    expect(asked).toHaveBeenCalledOnce()
  })

  it('gets their own builds by trying again', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    onGet('/api/get-latest-downloads', () => failure(400, 'No.'))
    renderApp(<ClosedBetaView />, { session: aSession() })
    const button = await screen.findByRole('button', { name: 'Try again' })
    onGet('/api/get-update-channel', () => ({
      channel: 'beta' as const,
      isPrerelease: true,
      downloads: { arm64: { ...builds.arm64!, version: '1.3.0-beta.1' } },
    }))
    await userEvent.click(button)
    expect(
      await screen.findByRole('link', { name: 'Download for Mac (v1.3.0-beta.1)' }),
    ).toBeVisible()
  })

  it('sees a button only for a build that exists', async () => {
    onGet('/api/get-latest-downloads', () => ({ x64: builds.x64 }))
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('link', { name: /Intel/ })).toBeVisible()
    expect(screen.queryByRole('link', { name: /for Mac/ })).not.toBeInTheDocument()
    expect(screen.queryByText(/Apple silicon/)).not.toBeInTheDocument()
  })

  it('can try again when downloads cannot be loaded, which is logged', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onGet('/api/get-latest-downloads', () => failure(400, 'No.'))
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByText("Downloads can't be loaded right now.")).toBeVisible()
    expect(log).toHaveBeenCalled()
    expect(screen.queryByRole('link', { name: /Download/ })).not.toBeInTheDocument()
    expect(screen.queryByText(/Loading downloads|No build is ready/)).not.toBeInTheDocument()
    expect(await violations(container)).toEqual([])

    let asked = 0
    let answer = () => {}
    onGet('/api/get-latest-downloads', async () => {
      asked += 1
      await new Promise<void>((resolve) => (answer = resolve))
      return builds
    })
    const button = screen.getByRole('button', { name: 'Try again' })
    await userEvent.dblClick(button)
    await waitFor(() => expect(button).toHaveTextContent('Retrying...'))
    expect(button).toHaveFocus()
    await waitFor(() => expect(asked).toBe(1))
    answer()
    expect(await screen.findByRole('link', { name: 'Download for Mac (v1.2.3)' })).toBeVisible()
  })

  it('is told when no build is offered', async () => {
    onGet('/api/get-latest-downloads', () => ({}))
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByText(/No build is ready/)).toBeVisible()
  })

  describe('on a phone', () => {
    const URL_HERE = `${location.origin}/closed-beta`
    const share = vi.fn<(data: ShareData) => Promise<void>>()

    beforeEach(() => {
      mediaAre(REDUCED_MOTION, HANDHELD)
      onGet('/api/get-latest-downloads', () => builds)
      share.mockReset()
      Object.assign(navigator, { share })
    })
    afterEach(() => {
      Reflect.deleteProperty(navigator, 'share')
    })

    const openOnPhone = async () => {
      const user = userEvent.setup()
      const view = renderApp(<ClosedBetaView />, { session: aSession() })
      await screen.findByRole('link', { name: /Download for Mac/ })
      return { user, ...view }
    }

    it('is told, above the downloads, to open the page on the Mac', async () => {
      const { container } = await openOnPhone()
      const note = screen.getByText(URL_HERE)
      const link = await screen.findByRole('link', { name: /Download for Mac/ })
      expect(note.compareDocumentPosition(link)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
      expect(await violations(container)).toEqual([])
    })

    it('shares the link', async () => {
      const { user } = await openOnPhone()
      await user.click(screen.getByRole('button', { name: 'Share the link' }))
      expect(share).toHaveBeenCalledExactlyOnceWith({ title: 'Fledge closed beta', url: URL_HERE })
    })

    it.each([
      ['copies it when sharing fails', 'NotAllowedError', 'Link copied to clipboard!'],
      ['does nothing when the sheet is closed', 'AbortError', ''],
    ])('%s', async (_, name, text) => {
      share.mockRejectedValue(new DOMException('', name))
      const { user } = await openOnPhone()
      const copied = vi.spyOn(navigator.clipboard, 'writeText')
      await user.click(screen.getByRole('button', { name: 'Share the link' }))
      await waitFor(() => expect(screen.getByRole('status').textContent).toBe(text))
      expect(copied.mock.calls).toEqual(text ? [[URL_HERE]] : [])
    })

    it('copies the link where nothing can be shared', async () => {
      Reflect.deleteProperty(navigator, 'share')
      const { user } = await openOnPhone()
      await user.click(screen.getByRole('button', { name: 'Copy the link' }))
      expect(await screen.findByText('Link copied to clipboard!')).toBeVisible()
      expect(await navigator.clipboard.readText()).toBe(URL_HERE)
    })

    it('says that the link could not be copied', async () => {
      Reflect.deleteProperty(navigator, 'share')
      const { user } = await openOnPhone()
      vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new Error('refused'))
      await user.click(screen.getByRole('button', { name: 'Copy the link' }))
      expect(await screen.findByText("The link couldn't be copied.")).toBeVisible()
    })
  })

  it.each([
    ['a Mac', 'Macintosh; Intel Mac OS X 10_15_7', 0, false],
    ['an iPad that says it is a Mac', 'Macintosh; Intel Mac OS X 10_15_7', 5, true],
    ['an Android tablet', 'Linux; Android 15', 5, true],
  ])('with a touch screen on %s', async (_name, agent, touches, told) => {
    mediaAre(REDUCED_MOTION, HANDHELD)
    onGet('/api/get-latest-downloads', () => builds)
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue(`Mozilla/5.0 (${agent})`)
    Object.assign(navigator, { maxTouchPoints: touches })
    renderApp(<ClosedBetaView />, { session: aSession() })
    await screen.findByRole('link', { name: /Download for Mac/ })
    expect(screen.queryAllByText(/Open this page there/)).toHaveLength(told ? 1 : 0)
    Reflect.deleteProperty(navigator, 'maxTouchPoints')
  })

  describe('is celebrated', () => {
    const heading = () => screen.findByRole('heading', { name: "You're an early adopter!" })

    beforeEach(() => {
      mediaAre()
      onGet('/api/get-latest-downloads', () => builds)
    })

    it('once, and no longer when the page is left', async () => {
      const { unmount } = renderApp(<ClosedBetaView />, { session: aSession() })
      await heading()
      await waitFor(() => expect(confetti.burst).toHaveBeenCalled())
      unmount()
      expect(confetti.clear).toHaveBeenCalledOnce()
    })

    it('not in reduced motion', async () => {
      mediaAre(REDUCED_MOTION)
      vi.useFakeTimers({ shouldAdvanceTime: true })
      renderApp(<ClosedBetaView />, { session: aSession() })
      await heading()
      await act(() => vi.advanceTimersByTimeAsync(5000))
      vi.useRealTimers()
      expect(confetti.burst).not.toHaveBeenCalled()
    })
  })
})
