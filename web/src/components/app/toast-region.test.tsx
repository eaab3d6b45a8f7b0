import { act, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { toastSuccess } from './toast'
import { ToastRegion } from './toast-region'

const idle: (() => void)[] = []
vi.mock('@/lib/when-idle', () => ({ whenIdle: (task: () => void) => void idle.push(task) }))
vi.mock('./toaster', () => ({
  Toasts: () => <p>Toasts are announced here</p>,
  toaster: { create: vi.fn() },
}))
// What is loaded on demand may take its time on a busy machine.
beforeAll(() => import('./theme/design-system'))
beforeEach(() => void (idle.length = 0))
afterEach(() => vi.restoreAllMocks())

const region = () => screen.findByText('Toasts are announced here')
const becomeIdle = () => act(() => idle.splice(0).forEach((task) => task()))

test.each(['pointerDown', 'keyDown'] as const)(
  'the region comes after the first %s',
  async (name) => {
    render(<ToastRegion />)
    expect(idle).toHaveLength(0)
    fireEvent[name](document.body)
    fireEvent[name](document.body)
    expect(idle).toHaveLength(1)
    expect(screen.queryByText('Toasts are announced here')).toBeNull()
    becomeIdle()
    expect(await region()).toBeVisible()
  },
)

// The last: the first toast of a page is remembered.
test('or with the first toast', async () => {
  render(<ToastRegion />)
  toastSuccess('Saved')
  expect(await region()).toBeVisible()
})
