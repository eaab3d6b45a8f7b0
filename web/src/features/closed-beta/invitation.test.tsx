import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { WaitlistStatus } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { ClosedBetaView } from './closed-beta-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('./confetti', () => ({ createConfetti: () => ({ burst() {}, clear() {} }) }))

const CLAIM = 'q'.repeat(43)
const USED = 'Another account already uses this invitation.'

let status: WaitlistStatus | null
/** The claims that were sent, by the path they were sent to. */
let sent: [string, unknown][]

beforeEach(() => {
  sessionStorage.clear()
  vi.stubGlobal('matchMedia', () => ({
    matches: false,
    addEventListener() {},
    removeEventListener() {},
  }))
  status = null
  sent = []
  onGet('/api/get-waitlist-status', () => ({ status }))
  onGet('/api/get-update-channel', () => ({
    channel: 'stable' as const,
    isPrerelease: false,
    downloads: {},
  }))
  onPost('/api/get-invitation', ({ body }) => {
    sent.push(['get', body])
    return { email: 'ann@fledge.test' }
  })
  onPost('/api/claim-invitation', ({ body }) => {
    sent.push(['claim', body])
    status = 'approved'
    return { message: 'Your account uses this invitation now.' }
  })
  visit(`/closed-beta?a=b#claim=${CLAIM}`)
})

const question = () => screen.findByRole('heading', { name: 'Use your invitation?' })
const use = () => screen.findByRole('button', { name: 'Use it with this account' })
const approved = () => screen.findByRole('heading', { name: "You're an early adopter!" })

describe('the link of an invitation', () => {
  describe('is told to be opened', () => {
    let opened: unknown[]
    beforeEach(() => {
      opened = []
      onPost('/api/open-invitation', ({ body }) => {
        opened.push(body)
        return new HttpResponse(null, { status: 204 })
      })
    })
    const signIn = () => screen.findByRole('button', { name: 'Sign In' })

    it('by whomever, once, and not by loading the page, as mail scanners do', async () => {
      const { unmount } = renderApp(<ClosedBetaView />)
      const button = await signIn()
      expect(await screen.findByText(/Your invitation is kept until then/)).toBeVisible()
      expect(opened).toEqual([])
      await userEvent.click(button)
      await waitFor(() => expect(opened).toEqual([{ claim: CLAIM }]))
      unmount()
      renderApp(<ClosedBetaView />, { session: aSession() })
      expect(await question()).toBeVisible()
      await userEvent.click(await use())
      expect(await approved()).toBeVisible()
      expect(opened).toHaveLength(1)
    })

    it.each([
      ['a key', () => userEvent.keyboard('{Tab}')],
      ['a click without a pointer', async () => fireEvent.click(await signIn())],
    ])('by %s', async (_, move) => {
      renderApp(<ClosedBetaView />)
      await signIn()
      expect(opened).toEqual([])
      await move()
      await waitFor(() => expect(opened).toEqual([{ claim: CLAIM }]))
    })
  })

  it.each([[null], ['pending'], ['rejected']] as const)(
    'asks somebody whose own status is %s, and gives access',
    async (own) => {
      status = own
      const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
      expect(await question()).toBeVisible()
      expect(screen.getByText('ann@fledge.test')).toBeVisible()
      expect(screen.getByText('jane@fledge.test')).toBeVisible()
      expect(window.location.href).toMatch(/\/closed-beta\?a=b$/)
      expect(await violations(container)).toEqual([])
      expect(sent).toEqual([['get', { claim: CLAIM }]])

      await userEvent.click(await use())
      expect(await approved()).toBeVisible()
      expect(sent).toEqual([
        ['get', { claim: CLAIM }],
        ['claim', { claim: CLAIM }],
      ])
      expect(JSON.stringify(sessionStorage)).not.toContain(CLAIM)
    },
  )

  it('asks nothing of somebody who has access', async () => {
    status = 'approved'
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await approved()).toBeVisible()
    expect(sent).toEqual([])
    await waitFor(() => expect(JSON.stringify(sessionStorage)).not.toContain(CLAIM))
  })

  it('is kept while somebody signs in', async () => {
    const first = renderApp(<ClosedBetaView />)
    expect(await screen.findByText(/Your invitation is kept until then/)).toBeVisible()
    expect(await violations(first.container)).toEqual([])
    first.unmount()
    visit('/closed-beta')
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await question()).toBeVisible()
  })

  it('stays in the address where nobody can sign in, which is copied into a browser', async () => {
    vi.spyOn(navigator, 'userAgent', 'get').mockReturnValue('Mozilla/5.0 Instagram 300.0')
    renderApp(<ClosedBetaView />)
    expect(await screen.findByText(/Your invitation is kept until then/)).toBeVisible()
    expect(window.location.hash).toBe(`#claim=${CLAIM}`)
  })

  it('is noticed where the page is open already', async () => {
    visit('/closed-beta')
    renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByText(/You're not on the waitlist yet/)).toBeVisible()
    act(() => {
      window.location.hash = `#claim=${CLAIM}`
    })
    expect(await question()).toBeVisible()
  })

  it('can be left for another time', async () => {
    renderApp(<ClosedBetaView />, { session: aSession() })
    await userEvent.click(await screen.findByRole('button', { name: 'Not now' }))
    expect(await screen.findByText(/You're not on the waitlist yet/)).toBeVisible()
    expect(JSON.stringify(sessionStorage)).not.toContain(CLAIM)
  })

  it('goes along to another address', async () => {
    renderApp(<ClosedBetaView />, { manager: managerOf(aSession()) })
    await userEvent.click(await screen.findByRole('button', { name: 'Use another address' }))
    expect(await screen.findByRole('dialog', { name: 'Sign in' })).toBeVisible()
    expect(JSON.stringify(sessionStorage)).toContain(CLAIM)
  })

  it.each([
    [404, 'This invitation link has expired or is no longer valid.'],
    [409, USED],
    [400, 'This invitation link is not complete.'],
  ])('that is refused with %i says why, and shows where one stands', async (code, why) => {
    onPost('/api/get-invitation', () => failure(code, why))
    status = 'pending'
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByRole('alert')).toHaveTextContent(why)
    expect(screen.getByText('Your waitlist application is pending approval.')).toBeVisible()
    const heading = screen.getByRole('heading', { name: 'Closed Beta' })
    await waitFor(() => expect(heading).toHaveFocus())
    expect(await violations(container)).toEqual([])
    expect(JSON.stringify(sessionStorage)).not.toContain(CLAIM)
  })

  it('that somebody else uses in the meantime says so', async () => {
    onPost('/api/claim-invitation', () => failure(409, USED))
    renderApp(<ClosedBetaView />, { session: aSession() })
    await userEvent.click(await use())
    expect(await screen.findByText(USED)).toBeVisible()
    expect(screen.getByRole('button', { name: 'Join Waitlist' })).toBeVisible()
  })

  it('can be used again after a failure', async () => {
    let down = true
    onPost('/api/claim-invitation', () => {
      if (down) return HttpResponse.error()
      status = 'approved'
      return { message: '' }
    })
    renderApp(<ClosedBetaView />, { session: aSession() })
    await userEvent.click(await use())
    expect(await screen.findByRole('alert')).toHaveTextContent(/Please try again/)
    expect(await use()).toHaveFocus()
    down = false
    await userEvent.click(await use())
    expect(await approved()).toBeVisible()
  })

  it('can be looked up again, or left', async () => {
    onPost('/api/get-invitation', () => failure(403, 'Not allowed.'))
    const { container } = renderApp(<ClosedBetaView />, { session: aSession() })
    expect(await screen.findByText("We can't look your invitation up right now.")).toBeVisible()
    expect(screen.getByRole('button', { name: 'Not now' })).toBeVisible()
    expect(await violations(container)).toEqual([])
    onPost('/api/get-invitation', () => ({ email: 'ann@fledge.test' }))
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await question()).toBeVisible()
  })
})
