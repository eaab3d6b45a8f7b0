import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { showAlert } from '@/lib/alert'
import { toastError, toastSuccess } from './toast'
import { ToastRegion } from './toast-region'

const idle: (() => void)[] = []
vi.mock('@/lib/when-idle', () => ({ whenIdle: (task: () => void) => void idle.push(task) }))
vi.mock('@/lib/alert', () => ({ showAlert: vi.fn() }))
const { code, create } = vi.hoisted(() => ({ code: { arrives: true }, create: vi.fn() }))
vi.mock('./toaster', () => ({
  get Toasts() {
    if (!code.arrives) throw new Error('offline')
    return function Toasts() {
      return <p>Toasts are announced here</p>
    }
  },
  toaster: { create },
}))
// What is loaded on demand may take its time on a busy machine.
beforeAll(() => import('./theme/design-system'))
beforeEach(() => {
  idle.length = 0
  code.arrives = true
  create.mockClear()
  vi.mocked(showAlert).mockClear()
})
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

test('a region that does not arrive is asked for again with the next interaction', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  code.arrives = false
  render(<ToastRegion />)
  fireEvent.pointerDown(document.body)
  becomeIdle()
  await waitFor(() => expect(log).toHaveBeenCalledOnce())
  code.arrives = true
  fireEvent.pointerDown(document.body)
  becomeIdle()
  expect(await region()).toBeVisible()
})

// From here on: the first toast of a page is remembered.
test('the region comes with the first toast', async () => {
  render(<ToastRegion />)
  toastSuccess('Saved')
  expect(await region()).toBeVisible()
})

test('a region that does not arrive is asked for again with the next toast, and an alert says what failed', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  code.arrives = false
  render(<ToastRegion />)
  fireEvent.pointerDown(document.body)
  becomeIdle()
  await waitFor(() => expect(log).toHaveBeenCalledOnce())
  toastError('Error', 'Failed to update ticket')
  await waitFor(() =>
    expect(showAlert).toHaveBeenCalledExactlyOnceWith('Error\n\nFailed to update ticket'),
  )
  toastSuccess('Saved')
  await waitFor(() => expect(log).toHaveBeenCalledTimes(3))
  expect(showAlert).toHaveBeenCalledOnce()
  code.arrives = true
  toastError('Failed to load users')
  expect(await region()).toBeVisible()
  expect(create).toHaveBeenCalledExactlyOnceWith({ type: 'error', title: 'Failed to load users' })
})
