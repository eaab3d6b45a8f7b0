import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import type { Release } from '@/lib/api/types'
import { useAuth } from '@/features/session/use-auth'
import { violations } from '@/testing/axe'
import { renderApp } from '@/testing/render'
import { failure, onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { UpdatesView } from './updates-view'

const releases: Release[] = [
  {
    id: 2,
    name: 'Fledge 1.10.0',
    version: '1.10.0',
    publishedAt: '2025-09-01T12:00:00Z',
    downloadCount: 0,
    siteDownloadCount: 0,
    isAvailable: false,
    rolloutPercentage: 100,
    assets: [{ id: 21, name: 'Fledge-1.10.0-arm64.dmg', size: 104_857_600 }],
  },
  {
    id: 1,
    name: 'Fledge 1.9.0',
    version: '1.9.0',
    publishedAt: null,
    downloadCount: 1234,
    siteDownloadCount: 0,
    isAvailable: true,
    rolloutPercentage: 100,
    assets: [],
  },
]

const serve = (list = releases) =>
  onGet('/api/get-github-releases', () => ({ releases: list, lastCheck: '2025-09-02T12:00:00Z' }))

/** The dashboard shows the view only to a person who is known to be an admin. */
function Admin() {
  return useAuth().status === 'signed-in' ? <UpdatesView /> : null
}

const renderView = () => renderApp(<Admin />, { session: aSession() })
const stat = (label: string) => screen.getByText(label).nextElementSibling

describe('the Updates tab', () => {
  it('lists the releases and what they add up to', async () => {
    serve()
    const { container } = renderView()
    expect(await screen.findByRole('heading', { name: 'Fledge 1.10.0' })).toBeVisible()
    expect(screen.getByText('Manage Electron app releases and availability')).toBeVisible()
    expect(screen.getByText('100 MB')).toBeVisible()
    expect(stat('Total Downloads')).toHaveTextContent('1,234')
    expect(stat('Available Releases')).toHaveTextContent('1')
    expect(stat('Last Check')).toHaveTextContent('Sep 2, 2025')
    expect(screen.getByRole('switch', { name: 'Offer version 1.10.0' })).not.toBeChecked()
    expect(screen.getByRole('switch', { name: 'Offer version 1.9.0' })).toBeChecked()
    expect(screen.getByRole('heading', { name: 'How It Works' })).toBeVisible()
    expect(screen.getByText(/Only admins can enable or disable releases/)).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('changes a switch and the count only once the server has agreed', async () => {
    serve()
    let answer = () => {}
    onPost('/api/toggle-release-availability', async ({ body }) => {
      expect(body).toEqual({ releaseId: 2, version: '1.10.0', isAvailable: true })
      await new Promise<void>((resolve) => (answer = resolve))
      return { message: 'Release v1.10.0 is now available' }
    })
    renderView()
    const toggle = await screen.findByRole('switch', { name: 'Offer version 1.10.0' })
    await userEvent.click(toggle)
    await waitFor(() => expect(toggle).toBeDisabled())
    expect(toggle).not.toBeChecked()
    expect(stat('Available Releases')).toHaveTextContent('1')
    await waitFor(() => {
      answer()
      expect(toggle).toBeChecked()
    })
    expect(toggle).toBeEnabled()
    expect(stat('Available Releases')).toHaveTextContent('2')
    expect(await screen.findByText('Release v1.10.0 is now available')).toBeVisible()
  })

  it('leaves the switch alone when the server refuses', async () => {
    serve()
    onPost('/api/toggle-release-availability', () => failure(409, 'Reload.', 'Conflict'))
    renderView()
    const toggle = await screen.findByRole('switch', { name: 'Offer version 1.9.0' })
    await userEvent.click(toggle)
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Failed to toggle release: Conflict')
    expect(toggle).toBeChecked()
    expect(toggle).toBeEnabled()
  })

  it('says that releases could not be fetched, and tries again', async () => {
    onGet('/api/get-github-releases', () => failure(403, 'Only admins.', 'Forbidden'))
    const { container } = renderView()
    const alert = await screen.findByRole('alert')
    expect(alert).toHaveTextContent('Failed to fetch releases: Forbidden')
    expect(screen.queryByText('No releases found')).not.toBeInTheDocument()
    expect(stat('Total Downloads')).toHaveTextContent('–')
    expect(stat('Last Check')).toHaveTextContent('–')
    expect(await violations(container)).toEqual([])
    serve()
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByRole('heading', { name: 'Fledge 1.9.0' })).toBeVisible()
    expect(screen.queryByText(/Failed to fetch/)).not.toBeInTheDocument()
  })

  it('says when there are none', async () => {
    serve([])
    renderView()
    expect(await screen.findByText('No releases found')).toBeVisible()
  })
})

vi.mock('next/navigation', () => import('@/testing/navigation'))
