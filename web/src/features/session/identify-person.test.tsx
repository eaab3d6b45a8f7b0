import { act, waitFor } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { renderApp } from '@/testing/render'
import { visit } from '@/testing/navigation'
import { aSession, managerOf } from '@/testing/session'
import { IdentifyPerson } from './identify-person'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/when-idle', () => ({ whenIdle: (task: () => void) => task() }))
const analytics = vi.hoisted(() => ({ identify: vi.fn(), forget: vi.fn() }))
vi.mock('@/lib/analytics/analytics', () => analytics)

beforeEach(() => {
  visit('/profile')
  analytics.identify.mockReset()
  analytics.forget.mockReset()
})

test('the person is made known, again on each page, and forgotten with the session', async () => {
  const session = aSession()
  const manager = managerOf(session)
  renderApp(<IdentifyPerson />, { manager })
  await waitFor(() => expect(analytics.identify).toHaveBeenCalledExactlyOnceWith(session.user))
  act(() => visit('/closed-beta'))
  await waitFor(() => expect(analytics.identify).toHaveBeenCalledTimes(2))
  expect(analytics.forget).not.toHaveBeenCalled()
  await act(() => manager.signOut())
  await waitFor(() => expect(analytics.forget).toHaveBeenCalledOnce())
})

test('nobody is made known while it is not known who is here', async () => {
  renderApp(<IdentifyPerson />, { manager: managerOf(null, { read: () => new Promise(() => {}) }) })
  await act(() => new Promise((resolve) => setTimeout(resolve)))
  expect(analytics.identify).not.toHaveBeenCalled()
  expect(analytics.forget).not.toHaveBeenCalled()
})
