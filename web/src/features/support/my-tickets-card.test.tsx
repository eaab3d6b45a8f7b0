import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { renderApp } from '@/testing/render'
import { MyTicketsCard } from './my-tickets-card'

vi.mock('./my-tickets', () => {
  throw new Error('offline')
})

test('a card that does not arrive says so in its place', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { container } = renderApp(<MyTicketsCard />)
  expect(await screen.findByRole('alert')).toHaveTextContent(
    'This part of the page could not be loaded.',
  )
  expect(screen.getByRole('region', { name: 'My tickets' })).toBeVisible()
  expect(screen.getByRole('button', { name: 'Reload the page' })).toBeVisible()
  expect(await violations(container)).toEqual([])
})
