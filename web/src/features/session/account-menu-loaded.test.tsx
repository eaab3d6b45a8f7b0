import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { useAuth } from './use-auth'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, onGet } from '@/testing/server'
import { aSession } from '@/testing/session'
import { AccountMenu } from './account-menu'

vi.mock('next/navigation', () => import('@/testing/navigation'))

beforeEach(() => visit('/profile'))

/** Shows the menu to whoever is known to be signed in; returns how often the server was asked. */
function renderMenu(answer: () => { isAdmin: boolean; isModerator: boolean } | Response) {
  const asked = vi.fn(answer)
  onGet('/api/is-admin', asked)
  function Page() {
    return useAuth().status === 'signed-in' ? <AccountMenu /> : null
  }
  renderApp(<Page />, { session: aSession() })
  return asked
}

const open = async () =>
  userEvent.click(await screen.findByRole('button', { name: 'Account menu' }))
const entries = () => screen.queryAllByRole('menuitem').map((item) => item.textContent)

test('an admin finds the tools in the menu, last, and is asked about only when it opens', async () => {
  const asked = renderMenu(() => ({ isAdmin: true, isModerator: false }))
  await screen.findByRole('button', { name: 'Account menu' })
  expect(asked).not.toHaveBeenCalled()
  await open()
  expect(await screen.findByRole('menuitem', { name: 'Admin' })).toHaveAttribute('href', '/admin')
  expect(entries()).toEqual(['Sign out', 'Admin'])
  expect(asked).toHaveBeenCalledOnce()
})

test('so does a moderator', async () => {
  renderMenu(() => ({ isAdmin: false, isModerator: true }))
  await open()
  expect(await screen.findByRole('menuitem', { name: 'Admin' })).toHaveAttribute('href', '/admin')
})

test.each([
  ['nobody else does', () => ({ isAdmin: false, isModerator: false })],
  ['a failed check shows none', () => failure(403, 'No.')],
])('%s', async (_, answer) => {
  const asked = renderMenu(answer)
  await open()
  await waitFor(() => expect(asked).toHaveBeenCalled())
  await waitFor(() => expect(entries()).toEqual(['Sign out']))
})

test('the tools themselves need no link to them', async () => {
  visit('/admin')
  const asked = renderMenu(() => ({ isAdmin: true, isModerator: false }))
  await open()
  await waitFor(() => expect(entries()).toEqual(['Profile', 'Sign out']))
  expect(asked).not.toHaveBeenCalled()
})

test('the focus comes back to the button, however soon Escape follows another key', async () => {
  renderMenu(() => ({ isAdmin: false, isModerator: false }))
  await open()
  const user = userEvent.setup({ delay: null })
  await waitFor(() => expect(screen.getByRole('menu')).toHaveFocus())
  await user.keyboard('{End}{Escape}')
  await waitFor(() => expect(screen.queryByRole('menu')).not.toBeInTheDocument())
  const button = screen.getByRole('button', { name: 'Account menu' })
  expect(button).toHaveFocus()
  // What Zag does late, it does in the next frame.
  await new Promise(requestAnimationFrame)
  expect(button).toHaveFocus()
})
