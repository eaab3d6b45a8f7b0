import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { AppHeader } from '@/components/app/app-header'
import { AccountMenu } from '@/features/session/account-menu'
import { violations } from '@/testing/axe'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { onGet } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { ProfileView } from './profile-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const page = (
  <>
    <AppHeader account={<AccountMenu />} />
    <ProfileView />
  </>
)

beforeEach(() => {
  visit('/profile')
  onGet('/api/auth/devices', () => ({ data: [] }))
  router.push.mockClear()
  router.replace.mockClear()
})

describe('/profile', () => {
  it('waits for the person to be known', () => {
    renderApp(page, { manager: managerOf(null, { read: () => new Promise(() => {}) }) })
    expect(screen.getByText('Loading...')).toBeVisible()
    expect(router.replace).not.toHaveBeenCalled()
  })

  it('sends a signed-out visitor home', async () => {
    renderApp(page)
    await waitFor(() => expect(router.replace).toHaveBeenCalledWith('/'))
  })

  it('shows the free plan', async () => {
    const { container } = renderApp(page, { session: aSession() })
    expect(await screen.findByRole('heading', { name: 'Free Plan' })).toBeVisible()
    expect(
      screen.getByText('Basic features and limited access. Upgrade to unlock more capabilities.'),
    ).toBeVisible()
    await screen.findByRole('button', { name: 'Account menu' })
    expect(await violations(container)).toEqual([])
  })
})

describe('the address of /profile', () => {
  it.each([
    ['/profile?paywall=true', '/profile'],
    ['/profile?a=1&paywall=true', '/profile?a=1'],
    ['/profile#upgrade', '/profile'],
    ['/profile?a=1#beta', '/profile?a=1#beta'],
  ])('%s becomes %s', async (given, left) => {
    visit(given)
    renderApp(page, { session: aSession() })
    await screen.findByRole('heading', { name: 'Free Plan' })
    expect(window.location.pathname + window.location.search + window.location.hash).toBe(left)
  })
})

describe('the account menu', () => {
  async function openMenu(manager = managerOf(aSession())) {
    renderApp(page, { manager })
    const avatar = await screen.findByRole('button', { name: 'Account menu' })
    await waitFor(() => expect(avatar).toHaveTextContent('J'))
    await userEvent.click(screen.getByRole('button', { name: 'Account menu' }))
    return screen.findByRole('menuitem', { name: 'Sign out' })
  }

  it('names the person', async () => {
    await openMenu()
    const menu = screen.getByRole('menu')
    expect(menu).toHaveTextContent('Signed in as')
    expect(menu).toHaveTextContent('jane@fledge.test')
    expect(await violations(menu)).toEqual([])
  })

  it('signs out and goes home, by keyboard', async () => {
    const end = vi.fn(async () => {})
    await openMenu(managerOf(aSession(), { end }))
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await waitFor(() => expect(router.push).toHaveBeenCalledWith('/'))
    expect(end).toHaveBeenCalledWith('token-1', 'device')
    expect(screen.queryByRole('button', { name: 'Account menu' })).not.toBeInTheDocument()
  })

  it('only logs that signing out failed', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    const down = new Error('down')
    await openMenu(managerOf(aSession(), { end: () => Promise.reject(down) }))
    await userEvent.keyboard('{ArrowDown}{Enter}')
    await waitFor(() => expect(log).toHaveBeenCalledWith('Sign-out failed', down))
    expect(router.push).not.toHaveBeenCalled()
  })
})
