import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { Part } from './part'

test('what cannot be shown is replaced where it stands, and can be tried again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  let broken = true
  function Card() {
    if (broken) throw new Error('cannot be shown')
    return <p>Credits</p>
  }
  render(
    <>
      <Part>
        <Card />
      </Part>
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
