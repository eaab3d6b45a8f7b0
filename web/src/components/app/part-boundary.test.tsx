import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { PartBoundary } from './part-boundary'

test('what cannot be shown is replaced where it stands, and can be tried again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  let broken = true
  function Card() {
    if (broken) throw new Error('cannot be shown')
    return <p>Credits</p>
  }
  render(
    <>
      <PartBoundary>
        <Card />
      </PartBoundary>
      <p>The rest</p>
    </>,
  )
  expect(screen.getByText('The rest')).toBeVisible()
  expect(screen.getByRole('alert')).toHaveTextContent('This part of the page could not be shown.')
  broken = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  expect(screen.getByText('Credits')).toBeVisible()
  expect(screen.queryByRole('alert')).toBeNull()
})

test('it is tried again with other data', () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  function Row({ value }: { value: { name: string } | null }) {
    return <p>{value!.name}</p>
  }
  const show = (value: { name: string } | null) => (
    <PartBoundary resetKey={value} fallback={<p>Unreadable</p>}>
      <Row value={value} />
    </PartBoundary>
  )
  const { rerender } = render(show(null))
  expect(screen.getByText('Unreadable')).toBeVisible()
  rerender(show({ name: 'Ada' }))
  expect(screen.getByText('Ada')).toBeVisible()
})
