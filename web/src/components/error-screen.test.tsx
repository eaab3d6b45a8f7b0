import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { ErrorScreen } from './error-screen'

const track = vi.hoisted(() => vi.fn().mockResolvedValue(undefined))
vi.mock('@/lib/analytics/analytics', () => ({ track }))

test('leads home, or tries again', async () => {
  const onRetry = vi.fn()
  render(<ErrorScreen error={new Error('No')} onRetry={onRetry} />)
  expect(screen.getByRole('link', { name: 'Return to Home' })).toHaveAttribute('href', '/')
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(onRetry).toHaveBeenCalledOnce()
})

test("says what went wrong in the error's words, and tells the analytics only that it did", async () => {
  render(<ErrorScreen error={new Error('Nothing known of Jane')} onRetry={() => {}} />)
  expect(screen.getByRole('heading')).toHaveTextContent('Unexpected Application Error!')
  expect(screen.getByText('Nothing known of Jane')).toBeVisible()
  await vi.waitFor(() =>
    expect(track.mock.calls).toEqual([['Error', { label: 'page_failed' }, expect.any(URL)]]),
  )
})
