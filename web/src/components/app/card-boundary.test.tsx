import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { CardBoundary } from './card-boundary'

test('a card that fails is replaced where it stands, and can be tried again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  let broken = true
  function Devices() {
    if (broken) throw new Error('no such field')
    return <p>Two devices</p>
  }
  const { container } = render(
    <>
      <CardBoundary name="Devices">
        <Devices />
      </CardBoundary>
      <p>The rest</p>
    </>,
  )
  expect(screen.getByText('The rest')).toBeVisible()
  expect(screen.getByRole('region', { name: 'Devices' })).toHaveTextContent(
    'This part of the page could not be shown.',
  )
  expect(await violations(container)).toEqual([])
  broken = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(screen.getByText('Two devices')).toBeVisible()
  expect(screen.queryByRole('alert')).not.toBeInTheDocument()
})
