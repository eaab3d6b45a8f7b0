import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { onProblem } from '@/lib/analytics/problems'
import { Alert } from './alert'

test('says each problem once, to people and to whoever observes the page', () => {
  const report = vi.fn()
  const stop = onProblem(report)
  const { rerender } = render(<Alert>It did not load.</Alert>)
  expect(screen.getByRole('alert')).toHaveTextContent('It did not load.')
  rerender(<Alert>{'It did not load.'}</Alert>)
  rerender(<Alert>Try later.</Alert>)
  expect(report.mock.calls).toEqual([['It did not load.'], ['Try later.']])
  stop()
})
