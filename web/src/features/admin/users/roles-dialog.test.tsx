import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeEach, expect, it, vi } from 'vitest'
import type { AdminUser } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { aUser, emailOf, renderView, rowOf, serveUsers } from '../testing'
import { UsersView } from './users-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

beforeEach(() => {
  visit('/admin?tab=users')
  onGet('/api/get-person', () => failure(404, 'This account does not exist.'))
})

const giveReason = (dialog: ReturnType<typeof within>) =>
  userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'because')

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
    expect(body).toEqual({
      userId: user.id,
      roles: ['moderator', 'user'],
      seenRoles: ['user'],
      reason: 'because',
    })
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
  await userEvent.keyboard(' ')
  expect(dialog.getByRole('button', { name: 'Save roles' })).toBeDisabled()
  await giveReason(dialog)
  dialog.getByRole('checkbox', { name: 'Moderator' }).focus()
  await userEvent.keyboard('{Enter}')
  expect(await screen.findByText('Roles changed for the test')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  expect(await (await rowOf(1)).findByText('Moderator')).toBeVisible()
})

it('tells what another admin has changed meanwhile, and overwrites it only then', async () => {
  let user = aUser(1)
  const seen: unknown[] = []
  serveUsers(() => [user])
  onGet('/api/get-person', () => user)
  onPost('/api/set-user-roles', ({ body }) => {
    seen.push((body as { seenRoles: unknown }).seenRoles)
    if (seen.length > 1) return { message: 'Roles changed', data: aUser(1, ['admin', 'user']) }
    user = aUser(1, ['moderator', 'user'])
    return HttpResponse.json(
      { error: 'The roles were changed meanwhile, to: moderator, user.', code: 'roles_changed' },
      { status: 409 },
    )
  })
  renderView(UsersView)
  const dialog = await openDialog(1)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Admin' }))
  await giveReason(dialog)
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  expect(await dialog.findByText(/^The roles were changed meanwhile/)).toBeVisible()
  expect(dialog.getByRole('checkbox', { name: 'Admin' })).toBeChecked()
  expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue('because')
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  expect(await screen.findByText('Roles changed')).toBeVisible()
  expect(seen).toEqual([['user'], ['moderator', 'user']])
})

it('has not seen what another admin has changed during a sign-in', async () => {
  let user = aUser(1)
  const sent: unknown[] = []
  serveUsers(() => [user])
  onPost('/api/set-user-roles', ({ body }) => {
    sent.push(body)
    return failure(409, 'The roles were changed meanwhile, to: admin, user.')
  })
  const { unmount } = renderView(UsersView)
  const dialog = await openDialog(1)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Moderator' }))
  await giveReason(dialog)
  unmount()
  user = aUser(1, ['admin', 'user'])
  renderView(UsersView)
  const again = within(await screen.findByRole('dialog', { name: 'Change roles' }))
  expect(again.getByRole('checkbox', { name: 'Admin' })).not.toBeChecked()
  await userEvent.click(again.getByRole('button', { name: 'Save roles' }))
  expect(await again.findByText(/^The roles were changed meanwhile/)).toBeVisible()
  expect(sent).toMatchObject([{ roles: ['moderator', 'user'], seenRoles: ['user'] }])
})

it('begins with what the account has once the dialog was closed', async () => {
  let user = aUser(1)
  const sent: unknown[] = []
  serveUsers(() => [user])
  onPost('/api/set-user-roles', ({ body }) => {
    sent.push(body)
    return { message: 'Done', data: aUser(1, ['user']) }
  })
  const { unmount } = renderView(UsersView)
  const dialog = await openDialog(1)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Moderator' }))
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  unmount()
  user = aUser(1, ['admin', 'user'])
  renderView(UsersView)
  const again = await openDialog(1)
  await userEvent.click(again.getByRole('checkbox', { name: 'Admin' }))
  await giveReason(again)
  await userEvent.click(again.getByRole('button', { name: 'Save roles' }))
  expect(await screen.findByText('Done')).toBeVisible()
  expect(sent).toMatchObject([{ roles: ['user'], seenRoles: ['admin', 'user'] }])
})

it.each([
  [() => failure(409, 'There must be at least one admin.'), 'There must be at least one admin.'],
  [() => new Response('{}', { status: 500 }), 'Something went wrong. Please try again.'],
])('shows a refusal and keeps the choice (%#)', async (answer, text) => {
  const own: AdminUser = { ...aUser(1, ['admin', 'user']), id: aSession().user.id }
  serveUsers(() => [own])
  onPost('/api/set-user-roles', answer)
  renderView(UsersView)
  const dialog = await openDialog(1)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Admin' }))
  expect(dialog.getByText(/This is your own account/)).toBeVisible()
  await giveReason(dialog)
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  expect(await dialog.findByRole('alert')).toHaveTextContent(text)
  expect(dialog.getByRole('checkbox', { name: 'Admin' })).not.toBeChecked()
  expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue('because')
})

it('asks for nothing else after a change, however many pages are loaded', async () => {
  let users = [1, 2, 3, 4].map((n) => aUser(n))
  const asked = serveUsers(() => users, 2)
  onPost('/api/set-user-roles', () => {
    users = users.map((user) => (user.email === emailOf(4) ? aUser(4, ['admin', 'user']) : user))
    return { message: 'Done', data: users[3]! }
  })
  renderView(UsersView)
  await userEvent.click(await screen.findByRole('button', { name: 'Load more' }))
  const dialog = await openDialog(4)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Admin' }))
  await giveReason(dialog)
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  expect(await screen.findByText('Done')).toBeVisible()
  expect(await (await rowOf(4)).findByText('Admin')).toBeVisible()
  expect((await rowOf(1)).getByText('User')).toBeVisible()
  expect(asked).toEqual(['', '?cursor=2'])
})

it('shows a role that it does not know, and leaves it to the account', async () => {
  const user = aUser(1, ['user', 'release_manager' as never])
  serveUsers(() => [user])
  const sent = vi.fn()
  onPost('/api/set-user-roles', ({ body }) => {
    sent(body)
    return { message: 'Done', data: user }
  })
  renderView(UsersView)
  expect(await (await rowOf(1)).findByText('Release manager')).toBeVisible()
  const dialog = await openDialog(1)
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Moderator' }))
  await giveReason(dialog)
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  expect(await screen.findByText('Done')).toBeVisible()
  expect(sent).toHaveBeenCalledWith({
    userId: user.id,
    roles: ['moderator', 'user', 'release_manager'],
    seenRoles: ['user', 'release_manager'],
    reason: 'because',
  })
})
