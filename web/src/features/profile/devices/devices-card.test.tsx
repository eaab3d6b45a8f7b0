import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useAuth } from '@/features/session/use-auth'
import type { Device } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { DevicesCard } from './devices-card'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const CHROME =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

function aDevice(overrides: Partial<Device>): Device {
  return {
    id: '11111111-1111-4111-8111-111111111111',
    kind: 'browser',
    name: '',
    user_agent: CHROME,
    ip_address: '203.0.113.7',
    created_at: '2025-11-20T08:00:00Z',
    last_active_at: new Date(Date.now() - 5 * 60_000).toISOString(),
    current: false,
    ...overrides,
  }
}

const here = aDevice({ current: true })
const mac = aDevice({
  id: '22222222-2222-4222-8222-222222222222',
  kind: 'mac',
  name: "Ann's MacBook",
  user_agent: 'Fledge/1.1.0 (Macintosh)',
})
const phone = aDevice({
  id: '33333333-3333-4333-8333-333333333333',
  user_agent: 'Mozilla/5.0 (iPhone) Version/18.5 Mobile/15E148 Safari/604.1',
  last_active_at: '2025-01-02T03:04:00Z',
})

let devices: Device[]
let revoked: unknown[]

beforeEach(() => {
  visit('/profile')
  router.replace.mockClear()
  devices = [mac, here, phone]
  revoked = []
  onGet('/api/auth/devices', () => ({ data: devices }))
  onPost('/api/auth/revoke-device', ({ body, bearer }) => {
    revoked.push([bearer, body])
    devices = devices.filter(({ id }) => id !== (body as { device_id: string }).device_id)
    return new HttpResponse(null, { status: 204 })
  })
})

/** As on the profile: only whoever is signed in sees the card. */
function SignedIn() {
  return useAuth().user && <DevicesCard />
}

const open = (manager = managerOf(aSession())) => renderApp(<SignedIn />, { manager })
const row = (name: string) =>
  within(screen.getAllByRole('listitem').find((item) => item.textContent?.includes(name))!)
const dialog = () => within(screen.getByRole('alertdialog'))

describe('the devices', () => {
  it('takes the focus when an email links to it', async () => {
    visit('/profile')
    window.location.hash = '#devices'
    open()
    await waitFor(() =>
      expect(screen.getByRole('heading', { name: "Where you're signed in" })).toHaveFocus(),
    )
  })

  it('are named, this one first', async () => {
    const { container } = open()
    expect(await screen.findByText('Loading devices...')).toHaveAttribute('role', 'status')
    expect(await screen.findAllByRole('listitem')).toHaveLength(3)
    await waitFor(() => expect(screen.queryByText('Loading devices...')).not.toBeInTheDocument())
    const texts = screen.getAllByRole('listitem').map((item) => item.textContent)
    expect(texts[0]).toMatch(/^Chrome on MacThis deviceActive now203\.0\.113\.7/)
    expect(texts[1]).toMatch(/^Ann's MacBookFledge for MacActive 5 minutes ago/)
    expect(texts[2]).toMatch(/^Safari on iPhoneActive on Jan 2, 2025/)
    expect(screen.getByText('Active on Jan 2, 2025')).toHaveAttribute(
      'title',
      expect.stringMatching(/January [12], 2025/),
    )
    expect(await violations(container)).toEqual([])
  })

  it('may be none', async () => {
    devices = []
    open()
    expect(await screen.findByText('No device has used your account yet.')).toBeVisible()
  })

  it('are asked for again when they could not be loaded', async () => {
    onGet('/api/auth/devices', () => failure(403, 'This is not yours to see.'))
    const { container } = open()
    expect(await screen.findByRole('alert')).toHaveTextContent('This is not yours to see.')
    expect(await violations(container)).toEqual([])
    onGet('/api/auth/devices', () => ({ data: devices }))
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findAllByRole('listitem')).toHaveLength(3)
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
  })
})

describe('signing another device out', () => {
  it('asks first, and leaves it as it is after Cancel', async () => {
    open()
    const button = await screen.findByRole('button', { name: "Sign out of Ann's MacBook" })
    await userEvent.click(button)
    expect(dialog().getByRole('heading', { name: "Sign out of Ann's MacBook?" })).toBeVisible()
    expect(dialog().getByText(/sign in again to use Fledge on that Mac/)).toBeVisible()
    await waitFor(() => expect(dialog().getByRole('button', { name: 'Cancel' })).toHaveFocus())
    expect(await violations(screen.getByRole('alertdialog'))).toEqual([])
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument())
    expect(revoked).toEqual([])
  })

  it('takes it out of the list, and keeps the keyboard in the card', async () => {
    open()
    await userEvent.click(await screen.findByRole('button', { name: /Ann's MacBook/ }))
    await userEvent.click(dialog().getByRole('button', { name: 'Sign out' }))
    expect(await screen.findByText("Signed out of Ann's MacBook")).toBeVisible()
    expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toHaveLength(2)
    expect(revoked).toEqual([['token-1', { device_id: mac.id }]])
    await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument())
    await waitFor(() =>
      expect(screen.getByRole('heading', { name: "Where you're signed in" })).toHaveFocus(),
    )
  })

  it('says why it failed, and can be tried again', async () => {
    onPost('/api/auth/revoke-device', () => failure(503, 'Please try again in a moment.'))
    open()
    await userEvent.click(
      await screen.findByRole('button', { name: 'Sign out of Safari on iPhone' }),
    )
    await userEvent.click(dialog().getByRole('button', { name: 'Sign out' }))
    expect(await dialog().findByRole('alert')).toHaveTextContent('Please try again in a moment.')
    expect(screen.getAllByRole('listitem')).toHaveLength(3)
    onPost('/api/auth/revoke-device', offline)
    await userEvent.click(dialog().getByRole('button', { name: 'Sign out' }))
    expect(await dialog().findByText('Network error. Please try again.')).toBeVisible()
  })

  it('is done when the device had signed out by itself', async () => {
    onPost('/api/auth/revoke-device', () => {
      devices = [here, phone]
      return failure(404, 'There is no such device.')
    })
    open()
    await userEvent.click(await screen.findByRole('button', { name: /Ann's MacBook/ }))
    await userEvent.click(dialog().getByRole('button', { name: 'Sign out' }))
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(2))
    await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument())
  })
})

describe('signing out', () => {
  it('of this device needs no second thought and leads home', async () => {
    const end = vi.fn(async () => {})
    open(managerOf(aSession(), { end }))
    await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(3))
    await userEvent.click(row('This device').getByRole('button'))
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
    expect(end).toHaveBeenCalledExactlyOnceWith('token-1', 'device')
    expect(revoked).toEqual([])
  })

  it('of this device says that it failed', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    open(managerOf(aSession(), { end: () => Promise.reject(new Error('down')) }))
    await userEvent.click(await screen.findByRole('button', { name: 'Sign out of this device' }))
    expect(await screen.findByText("Sign-out didn't work. Please try again.")).toBeVisible()
    expect(log).toHaveBeenCalledWith('Sign-out failed', expect.any(Error))
    expect(router.replace).not.toHaveBeenCalled()
  })

  it('everywhere asks first, ends all sessions and leads home', async () => {
    const end = vi.fn(async () => {})
    open(managerOf(aSession(), { end }))
    await userEvent.click(await screen.findByRole('button', { name: 'Sign out everywhere' }))
    expect(end).not.toHaveBeenCalled()
    expect(dialog().getByText(/including this browser/)).toBeVisible()
    await userEvent.click(dialog().getByRole('button', { name: 'Sign out everywhere' }))
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
    expect(end).toHaveBeenCalledExactlyOnceWith('token-1', 'all')
  })

  it('everywhere says that it failed, and stays', async () => {
    open(managerOf(aSession(), { end: () => Promise.reject(new Error('down')) }))
    await userEvent.click(await screen.findByRole('button', { name: 'Sign out everywhere' }))
    await userEvent.click(dialog().getByRole('button', { name: 'Sign out everywhere' }))
    expect(await dialog().findByRole('alert')).toHaveTextContent("Sign-out didn't work.")
    expect(router.replace).not.toHaveBeenCalled()
  })
})
