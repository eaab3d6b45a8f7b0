import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { AdminView } from './admin-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const DENIED = "You don't have admin privileges to access this page."

beforeEach(() => {
  visit('/admin')
  onGet('/api/get-waitlist-users', () => ({ data: [], nextCursor: null }))
  onGet('/api/get-github-releases', () => ({ releases: [], lastCheck: null }))
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
    ['is not an admin', () => ({ isAdmin: false })],
    ['cannot be checked', () => failure(403, 'Not allowed.')],
  ])('denies a person who %s', async (_, answer) => {
    onGet('/api/is-admin', answer)
    renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByText(DENIED)).toBeVisible()
    expect(screen.queryByRole('button')).not.toBeInTheDocument()
  })

  it('shows an admin the tools, a tab for each that stands in the address', async () => {
    onGet('/api/is-admin', () => ({ isAdmin: true }))
    const { container } = renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByRole('heading', { name: 'Admin Dashboard' })).toBeVisible()
    expect(screen.getByText('Manage support tickets and customer inquiries')).toBeVisible()
    expect(screen.getByRole('tab', { name: 'User Management' })).toHaveAttribute(
      'aria-selected',
      'true',
    )
    expect(screen.getAllByRole('tab')).toHaveLength(2)
    expect(screen.getByRole('searchbox')).toBeVisible()
    expect(await violations(container)).toEqual([])

    await userEvent.click(screen.getByRole('tab', { name: 'Updates' }))
    expect(await screen.findByText('No releases found')).toBeVisible()
    expect(window.location.search).toBe('?tab=updates')
    expect(await violations(container)).toEqual([])
  })

  it('opens the tab that the address names', async () => {
    visit('/admin?tab=updates')
    onGet('/api/is-admin', () => ({ isAdmin: true }))
    renderApp(<AdminView />, { session: aSession() })
    expect(await screen.findByText('No releases found')).toBeVisible()
  })
})
