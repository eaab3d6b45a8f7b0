import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { onProblem } from '@/lib/analytics/problems'
import { violations } from '@/testing/axe'
import { IslandBoundary } from './island-boundary'

function Broken(): never {
  throw new Error('cannot be shown')
}

beforeEach(() => void vi.spyOn(console, 'error').mockImplementation(() => {}))

test('an island that cannot be shown is replaced by a sentence and a way to reload', async () => {
  const reload = vi.fn()
  const report = vi.fn()
  onTestFinished(onProblem(report))
  vi.stubGlobal('location', { reload })
  const { container } = render(
    <>
      <IslandBoundary>
        <Broken />
      </IslandBoundary>
      <p>The rest</p>
    </>,
  )
  expect(screen.getByText('The rest')).toBeVisible()
  expect(screen.getByRole('alert')).toHaveTextContent('This part of the page could not be shown.')
  expect(report.mock.calls).toEqual([['island_failed']])
  expect(await violations(container)).toEqual([])
  await userEvent.click(screen.getByRole('button', { name: 'Reload the page' }))
  expect(reload).toHaveBeenCalledOnce()
})

test('one that nobody sees leaves nothing behind', () => {
  render(
    <IslandBoundary fallback={null}>
      <Broken />
    </IslandBoundary>,
  )
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
})

test('shows what it holds', () => {
  render(<IslandBoundary>All is well</IslandBoundary>)
  expect(screen.getByText('All is well')).toBeVisible()
})
