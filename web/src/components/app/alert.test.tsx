import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { onProblem } from '@/lib/analytics/problems'
import { Alert } from './alert'

test('says each problem once, to people in its words and to whoever observes the page by its name', () => {
  const report = vi.fn()
  const stop = onProblem(report)
  const { rerender } = render(<Alert>It did not load.</Alert>)
  expect(screen.getByRole('alert')).toHaveTextContent('It did not load.')
  rerender(<Alert>{'It did not load.'}</Alert>)
  rerender(<Alert problem="part_failed">Try later, Jane.</Alert>)
  expect(report.mock.calls).toEqual([['alert'], ['part_failed']])
  stop()
})
