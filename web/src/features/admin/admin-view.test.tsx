import { act, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet } from '@/testing/server'
import { aSession, managerBesideTab, managerOf } from '@/testing/session'
import { AdminView } from './admin-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

/** A tab's code comes with the tab, which takes a busy machine longer than an answer does. */
const LOADED = { timeout: 10_000 }

const DENIED = "You don't have admin privileges to access this page."

beforeEach(() => {
  visit('/admin')
  onGet('/api/get-support-tickets', () => ({
    data: [],
    pagination: { page: 1, limit: 50, total: 0, totalPages: 0 },
  }))
  onGet('/api/get-admin-stats', () => ({
    waitlist: null,
    tickets: null,
    subscriptions: null,
    credits: null,
    downloads: null,
  }))
  onGet('/api/get-waitlist-users', () => ({
    data: [],
    nextCursor: null,
    undelivered: 0,
    unconfirmed: 0,
  }))
  onGet('/api/get-github-releases', () => ({ releases: [], lastCheck: null }))
  onGet('/api/get-download-stats', () => ({ days: [], versions: [] }))
  onGet('/api/get-version-usage', () => ({ days: [], archs: [], systems: [], channels: [] }))
  onGet('/api/get-audit-log', () => ({ data: [], nextCursor: null }))
})

describe('/admin', () => {
  it('checks the person and the role first', async () => {
    renderApp(<AdminView />, { manager: managerOf(null, { read: () => new Promise(() => {}) }) })
    expect(screen.getByText('Checking permissions...')).toBeVisible()
  })

  it('denies a signed-out visitor without asking, and offers to sign in', async () => {
    const { container } = renderApp(<AdminView />)
    expect(await screen.findByRole('heading', { name: 'Access Denied' })).toBeVisible()
    expect(screen.getByText(DENIED)).toBeVisible()
    expect(await violations(container)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Sign In' }))
    expect(screen.getByRole('dialog', { name: 'Sign in' })).toBeVisible()
  })

  it.each([
    ['is not an admin', () => ({ isAdmin: false, isModerator: false })],
    ['cannot be checked', () => failure(403, 'Not allowed.')],
  ])('denies a person who %s', async (_, answer) => {
    onGet('/api/is-admin', answer)
    renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByText(DENIED)).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('button')).not.toBeInTheDocument())
  })

  it('closes what one admin has opened when another signs in elsewhere', async () => {
    visit('/admin?tab=tickets')
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    const { manager, signInElsewhere } = managerBesideTab(aSession())
    renderApp(<AdminView />, { manager })
    const open = () => screen.findByRole('button', { name: 'New ticket' }, LOADED)
    await userEvent.click(await open())
    expect(screen.getByRole('dialog')).toBeVisible()
    const { user } = aSession()
    act(() => signInElsewhere(aSession({ user: { ...user, id: 'ann' } })))
    expect(await open()).toBeVisible()
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  })

  it('shows an admin the tools, a tab for each that stands in the address', async () => {
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    const { container } = renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()
    expect(screen.getByText('Manage support tickets and customer inquiries')).toBeVisible()
    const tabs = (await screen.findAllByRole('tab')).map((tab) => tab.textContent)
    expect(tabs).toEqual([
      'Overview',
      'Support Tickets',
      'User Management',
      'Updates',
      'Billing',
      'Audit Log',
    ])
    expect(screen.getByRole('tab', { name: 'Overview' })).toHaveAttribute('aria-selected', 'true')
    expect(await screen.findByRole('region', { name: 'Sign-ups' }, LOADED)).toBeVisible()
    expect(await violations(container)).toEqual([])

    await userEvent.click(screen.getByRole('tab', { name: 'Support Tickets' }))
    expect(await screen.findByText('No tickets found', {}, LOADED)).toBeVisible()
    expect(window.location.search).toBe('?tab=tickets')
    expect(await violations(container)).toEqual([])

    await userEvent.click(screen.getByRole('tab', { name: 'Updates' }))
    expect(await screen.findByText('No releases found', {}, LOADED)).toBeVisible()
    expect(window.location.search).toBe('?tab=updates')
    expect(await violations(container)).toEqual([])
  })

  it('shows a moderator the tabs that they may use, whatever the address says', async () => {
    visit('/admin?tab=audit')
    onGet('/api/is-admin', () => ({ isAdmin: false, isModerator: true }))
    const { container } = renderApp(<AdminView />, { session: aSession() })
    const tabs = (await screen.findAllByRole('tab')).map((tab) => tab.textContent)
    expect(tabs).toEqual(['Support Tickets', 'User Management'])
    expect(await screen.findByText('No tickets found', {}, LOADED)).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Export CSV' })).toBeNull()
    expect(await violations(container)).toEqual([])
  })

  it('is walked through by keys, the tab with the focus being the one that is shown', async () => {
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    renderApp(<AdminView />, { session: aSession() })
    const overview = await screen.findByRole('tab', { name: 'Overview' })
    act(() => overview.focus())
    for (const [keys, name] of [
      ['{ArrowLeft}', 'Audit Log'],
      ['{ArrowRight}', 'Overview'],
      ['{End}', 'Audit Log'],
      ['{Home}', 'Overview'],
      ['{ArrowRight}', 'Support Tickets'],
      ['{Alt>}{ArrowLeft}{/Alt}', 'Support Tickets'],
    ] as const) {
      await userEvent.keyboard(keys)
      const tab = screen.getByRole('tab', { name, selected: true })
      expect(tab).toHaveFocus()
      expect(screen.getByRole('tabpanel', { name })).toHaveAttribute(
        'id',
        tab.getAttribute('aria-controls'),
      )
    }
    await userEvent.tab()
    expect(screen.getByRole('tabpanel', { name: 'Support Tickets' })).toHaveFocus()
  })

  it('leaves the filter of a tab behind with it', async () => {
    visit('/admin?tab=updates&search=x&page=2')
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    renderApp(<AdminView />, { session: aSession() })
    await userEvent.click(await screen.findByRole('tab', { name: 'Support Tickets' }))
    expect(window.location.search).toBe('?tab=tickets')
    expect(await screen.findByText('No tickets found', {}, LOADED)).toBeVisible()
    expect(screen.getByRole('searchbox')).toHaveValue('')
  })

  it('comes back from a sign-in to what the link was to', async () => {
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    visit('/admin?tab=updates')
    const before = renderApp(<AdminView />)
    await userEvent.click(await screen.findByRole('button', { name: 'Sign In' }))
    before.unmount()

    visit('/admin')
    const after = renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByText('No releases found', {}, LOADED)).toBeVisible()
    expect(window.location.search).toBe('?tab=updates')
    after.unmount()

    visit('/admin')
    renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByRole('tab', { name: 'Overview', selected: true })).toBeVisible()
    expect(window.location.search).toBe('')
  })

  const at = Date.now()
  it.each([
    '{',
    'null',
    JSON.stringify({ value: 7, at }),
    JSON.stringify({ value: '?tab=updates', at }),
    JSON.stringify({ value: { search: 'tab=updates' }, at }),
    JSON.stringify({ value: { search: '?tab=updates' }, at: 1 }),
    JSON.stringify({ value: { search: '?tab=updates', owner: 'somebody else' }, at }),
  ])('does not believe a note of %s', async (note) => {
    sessionStorage.setItem('fledge_admin_link', note)
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByRole('tab', { name: 'Overview', selected: true })).toBeVisible()
    expect(window.location.search).toBe('')
  })

  it('opens the tab that the address names', async () => {
    visit('/admin?tab=updates')
    onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
    renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByText('No releases found', {}, LOADED)).toBeVisible()
  })
})
