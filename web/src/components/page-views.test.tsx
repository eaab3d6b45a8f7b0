import { render } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { PageViews } from './page-views'

const observer = vi.hoisted(() => ({ stop: vi.fn(), observePage: vi.fn(), recordView: vi.fn() }))
vi.mock('@/lib/analytics/observe', () => observer)
vi.mock('@/lib/when-idle', () => ({ whenIdle: (task: () => void) => task() }))

beforeEach(() => {
  vi.resetAllMocks()
  observer.observePage.mockReturnValue(observer.stop)
})

test('a page that clears its address is viewed where one arrived, and where it is', async () => {
  window.history.replaceState(null, '', '/profile?success=true')
  const arrival = window.location.href
  render(<PageViews />)
  window.history.replaceState(null, '', '/profile')
  await vi.waitFor(() => expect(observer.recordView.mock.calls).toEqual([[arrival], []]))
})

test('observes until it is left', async () => {
  const { unmount } = render(<PageViews />)
  await vi.waitFor(() => expect(observer.observePage).toHaveBeenCalledOnce())
  unmount()
  expect(observer.stop).toHaveBeenCalledOnce()
})
