import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import type { AdminUser } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { aUser, emailOf, renderView, rowOf, serveUsers } from '../testing'
import { UsersView } from './users-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

beforeEach(() => visit('/admin?tab=users'))

async function openDialog(n: number) {
  const button = (await rowOf(n)).getByRole('button', {
    name: `Change roles of ${emailOf(n)}`,
  })
  button.focus()
  await userEvent.keyboard('{Enter}')
  return within(await screen.findByRole('dialog', { name: 'Change roles' }))
}

it('changes the roles of an account by keyboard, and tells the message', async () => {
  let user = aUser(1)
  serveUsers(() => [user])
  onPost('/api/set-user-roles', ({ body }) => {
    expect(body).toEqual({ userId: user.id, roles: ['moderator', 'user'] })
    user = aUser(1, ['moderator', 'user'])
    return { message: 'Roles changed for the test', data: user }
  })
  const { container } = renderView(UsersView)
  const dialog = await openDialog(1)
  expect(dialog.getByText(emailOf(1))).toBeVisible()
  await waitFor(() => expect(dialog.getByRole('checkbox', { name: 'User' })).toBeDisabled())
  expect(dialog.getByRole('checkbox', { name: 'User' })).toBeChecked()
  await waitFor(() => expect(dialog.getByRole('button', { name: 'Save roles' })).toBeDisabled())
  expect(await violations(container)).toEqual([])
  dialog.getByRole('checkbox', { name: 'Moderator' }).focus()
  await userEvent.keyboard(' {Enter}')
  expect(await screen.findByText('Roles changed for the test')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(await (await rowOf(1)).findByText('Moderator')).toBeVisible()
})

it.each([
  [() => failure(409, 'There must be at least one admin.'), 'There must be at least one admin.'],
  [() => new Response('{}', { status: 500 }), 'Failed to change roles'],
])('shows a refusal and keeps the choice (%#)', async (answer, text) => {
  const own: AdminUser = { ...aUser(1, ['admin', 'user']), id: aSession().user.id }
  serveUsers(() => [own])
  onPost('/api/set-user-roles', answer)
  renderView(UsersView)
  const dialog = await openDialog(1)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Admin' }))
  expect(dialog.getByText(/This is your own account/)).toBeVisible()
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  expect(await dialog.findByRole('alert')).toHaveTextContent(text)
  expect(dialog.getByRole('checkbox', { name: 'Admin' })).not.toBeChecked()
})
