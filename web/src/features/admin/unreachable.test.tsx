import { act, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import { router, visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { managerOf } from '@/testing/session'
import { AdminView } from './admin-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
afterEach(() => void vi.useRealTimers())

it('nobody is asked to sign in while the server does not answer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  visit('/admin?tab=updates')
  const read = () => Promise.reject(new Error('503'))
  renderApp(<AdminView />, { manager: managerOf(null, { read }) })
  await act(() => vi.advanceTimersByTimeAsync(1540))
  expect(screen.getByRole('heading', { name: "We can't reach the server" })).toBeVisible()
  expect(screen.getByRole('button', { name: 'Try again' })).toBeVisible()
  expect(screen.queryByRole('button', { name: 'Sign In' })).not.toBeInTheDocument()
  expect(router.replace).not.toHaveBeenCalled()
  expect(window.location.pathname + window.location.search).toBe('/admin?tab=updates')
})
