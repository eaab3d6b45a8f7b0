import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ErrorScreen } from './error-screen'

const track = vi.hoisted(() => vi.fn().mockResolvedValue(undefined))
vi.mock('@/lib/analytics/analytics', () => ({ track }))

test("says what went wrong in the error's words, and tells the analytics only that it did", async () => {
  render(<ErrorScreen error={new Error('Nothing known of Jane')} />)
  expect(screen.getByRole('heading')).toHaveTextContent('Unexpected Application Error!')
  expect(screen.getByText('Nothing known of Jane')).toBeVisible()
  await vi.waitFor(() =>
    expect(track.mock.calls).toEqual([['Error', { label: 'page_failed' }, expect.any(URL)]]),
  )
})
