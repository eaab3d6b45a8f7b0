import { act, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { renderApp } from '@/testing/render'
import { toastError, toastSuccess } from './toast'

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true })
})
afterEach(() => {
  vi.useRealTimers()
})

const shown = () => screen.queryAllByText(/^Toast \d$/).map((toast) => toast.textContent)

it('at most three toasts are shown at once', async () => {
  renderApp(null)
  for (const number of [1, 2, 3, 4]) toastSuccess(`Toast ${number}`)
  await waitFor(() => expect(shown()).toHaveLength(3))
  await act(() => vi.advanceTimersByTimeAsync(1000))
  expect(shown().sort()).toEqual(['Toast 1', 'Toast 2', 'Toast 3'])
})

it('a toast is shown for four seconds', async () => {
  renderApp(null)
  toastError('Toast 1')
  await waitFor(() => expect(shown()).toHaveLength(1))
  await act(() => vi.advanceTimersByTimeAsync(3500))
  expect(shown()).toHaveLength(1)
  // It leaves with an animation.
  await act(() => vi.advanceTimersByTimeAsync(1500))
  expect(shown()).toHaveLength(0)
})
