import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import { leaveTo } from '@/lib/leave'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { offline, onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { AdminView } from '../admin-view'
import { aUser, emailOf, rowOf, serveUsers } from '../testing'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))

const PROVIDER = 'https://provider.example/authorize'
const REASON = 'Helps with tickets.'
const FRESH = 'fresh_sign_in_required'
const STAFF = 'staff_sign_in_required'

const refusal = (code: string) => () =>
  Response.json({ error: `Refused: ${code}.`, code, requestId: '' }, { status: 403 })

beforeEach(() => {
  vi.mocked(leaveTo).mockClear()
  visit('/admin?tab=users&search=person')
  onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
  onPost('/api/set-user-roles', refusal(FRESH))
  onPost('/api/auth/signin/{provider}', () => ({ url: PROVIDER }))
  serveUsers(() => [aUser(1), aUser(2)])
})

const open = () => renderApp(<AdminView />, { session: aSession() })
const question = () => screen.findByRole('dialog', { name: 'Please sign in again' })
const press = async (name: string) =>
  userEvent.click(within(await question()).getByRole('button', { name }))

async function makeModerator() {
  await userEvent.click(
    (await rowOf(1)).getByRole('button', { name: `Change roles of ${emailOf(1)}` }),
  )
  const dialog = within(await screen.findByRole('dialog', { name: 'Change roles' }))
  await userEvent.click(dialog.getByRole('checkbox', { name: 'Moderator' }))
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), REASON)
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
}

it('leads through a sign-in and back to the same dialog, with what was chosen', async () => {
  const starts: unknown[] = []
  onPost('/api/auth/signin/{provider}', ({ url, body }) => {
    starts.push([url.pathname + url.search, body])
    return { url: PROVIDER }
  })
  const { unmount } = open()
  await makeModerator()
  expect(await question()).toHaveAccessibleDescription(/15 minutes after signing in/)
  expect(await violations(await question())).toEqual([])
  await press('Sign in again')
  await waitFor(() => expect(leaveTo).toHaveBeenCalledExactlyOnceWith(PROVIDER))
  expect(starts).toEqual([
    ['/api/auth/signin/google?refresh=true', { return_to: '/auth/callback?redirect=%2Fadmin' }],
  ])
  unmount()

  visit('/admin')
  onPost('/api/set-user-roles', ({ body }) => {
    expect(body).toEqual({
      userId: aUser(1).id,
      roles: ['moderator', 'user'],
      seenRoles: aUser(1).roles,
      reason: REASON,
    })
    return { message: 'Roles changed for the test', data: aUser(1, ['moderator', 'user']) }
  })
  open()
  const dialog = within(await screen.findByRole('dialog', { name: 'Change roles' }))
  expect(window.location.search).toBe('?tab=users&search=person')
  expect(dialog.getByText(emailOf(1))).toBeVisible()
  expect(dialog.getByRole('checkbox', { name: 'Moderator' })).toBeChecked()
  expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue(REASON)
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  expect(await screen.findByText('Roles changed for the test')).toBeVisible()
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})

it('can wait, and asks again at the next refusal', async () => {
  open()
  await makeModerator()
  await press('Not now')
  const dialog = within(await screen.findByRole('dialog', { name: 'Change roles' }))
  expect(dialog.getByRole('alert')).toHaveTextContent(`Refused: ${FRESH}.`)
  expect(dialog.getByRole('checkbox', { name: 'Moderator' })).toBeChecked()
  await userEvent.click(dialog.getByRole('button', { name: 'Save roles' }))
  await press('Not now')
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  // A choice that was cancelled is not brought back.
  await userEvent.click(
    (await rowOf(1)).getByRole('button', { name: `Change roles of ${emailOf(1)}` }),
  )
  expect(await screen.findByRole('checkbox', { name: 'Moderator' })).not.toBeChecked()
  expect(screen.getByRole('textbox', { name: 'Reason' })).toHaveValue('')
})

it('says why the lists of an old session stay empty', async () => {
  onGet('/api/get-users-with-roles', refusal(STAFF))
  open()
  expect(await question()).toHaveAccessibleDescription(/12 hours after signing in/)
  await press('Sign in again')
  await waitFor(() => expect(leaveTo).toHaveBeenCalledExactlyOnceWith(PROVIDER))
})

it('asks for the sign-in that a file needs', async () => {
  visit('/admin?tab=users&view=waitlist')
  onGet('/api/get-waitlist-users', () => ({
    data: [],
    nextCursor: null,
    undelivered: 0,
    unconfirmed: 0,
  }))
  onGet('/api/export-waitlist-users', refusal(FRESH))
  open()
  await userEvent.type(await screen.findByLabelText('Email to add'), 'ada@fledge.test')
  await userEvent.click(screen.getByRole('button', { name: 'Export CSV' }))
  await press('Not now')
  expect(screen.getByLabelText('Email to add')).toHaveValue('ada@fledge.test')
})

it('asks for the code on the page, and then again for what was refused', async () => {
  let verified = false
  const codes: unknown[] = []
  onGet('/api/get-users-with-roles', () =>
    verified ? { data: [aUser(1)], nextCursor: null } : refusal('second_factor_required')(),
  )
  onPost('/api/auth/verify-second-factor', ({ body }) => {
    codes.push(body)
    if (codes.length === 1) return refusal('wrong_code')()
    verified = true
    return new Response(null, { status: 204 })
  })
  open()
  const dialog = await screen.findByRole('dialog', { name: 'Enter your code' })
  expect(dialog).toHaveAccessibleDescription(/once after each sign-in/)
  expect(await violations(dialog)).toEqual([])
  const code = within(dialog).getByLabelText(/Code of your authenticator app/)
  expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeDisabled()
  await userEvent.type(code, '123 456{Enter}')
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('Refused: wrong_code.')
  expect(code).toHaveValue('123 456')
  await userEvent.clear(code)
  await userEvent.type(code, '654321{Enter}')
  expect(await rowOf(1)).toBeDefined()
  expect(codes).toEqual([{ code: '123 456' }, { code: '654321' }])
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument()
  expect(leaveTo).not.toHaveBeenCalled()
})

it('keeps what was typed while it asks for the code', async () => {
  onPost('/api/set-user-roles', refusal('second_factor_required'))
  onPost('/api/auth/verify-second-factor', () => new Response(null, { status: 204 }))
  open()
  await makeModerator()
  const code = await screen.findByLabelText(/Code of your authenticator app/)
  expect(screen.getByRole('link', { name: 'Set it up in your profile' })).toHaveAttribute(
    'href',
    '/profile#second-factor',
  )
  await userEvent.type(code, '123456{Enter}')
  const dialog = within(await screen.findByRole('dialog', { name: 'Change roles' }))
  expect(dialog.getByRole('checkbox', { name: 'Moderator' })).toBeChecked()
  expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue(REASON)
})

it('says that the sign-in could not start', async () => {
  onPost('/api/auth/signin/{provider}', offline)
  open()
  await makeModerator()
  await press('Sign in again')
  expect(await within(await question()).findByRole('alert')).toHaveTextContent('Network error.')
  expect(leaveTo).not.toHaveBeenCalled()
})

it.each(['forbidden', 'toString'])(
  'leaves a refusal with the code %s to its place',
  async (code) => {
    onPost('/api/set-user-roles', refusal(code))
    open()
    await makeModerator()
    const dialog = within(await screen.findByRole('dialog', { name: 'Change roles' }))
    expect(await dialog.findByRole('alert')).toHaveTextContent(`Refused: ${code}.`)
    expect(screen.getAllByRole('dialog')).toHaveLength(1)
  },
)
