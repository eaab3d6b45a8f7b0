import { fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { renderApp } from '@/testing/render'
import { aSession } from '@/testing/session'
import { AccountMenu } from './account-menu'

vi.mock('next/navigation', () => import('@/testing/navigation'))

let arrive: (loaded: boolean) => void = () => {}
vi.mock('./account-menu-loaded', async () => {
  if (!(await new Promise((resolve) => (arrive = resolve)))) throw new Error('offline')
  return {}
})

test('an avatar is all there is until the menu has come, and leads to the profile without it', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const { container } = renderApp(<AccountMenu />, { session: aSession() })
  // A click alone: pointing at it would prefetch the menu.
  fireEvent.click(await screen.findByRole('button', { name: 'Account menu' }))
  await waitFor(() =>
    expect(screen.getByRole('button', { name: 'Account menu' })).toHaveTextContent('J'),
  )

  const link = await vi.waitFor(() => {
    arrive(false)
    return screen.getByRole('link', { name: 'Profile' })
  })
  expect(link).toHaveAttribute('href', '/profile')
  expect(link).toHaveTextContent('J')
  await waitFor(() => expect(link).toHaveFocus())
  expect(await violations(container)).toEqual([])
})
