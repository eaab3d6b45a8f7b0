import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { useAuth } from '@/features/session/use-auth'
import { saveFile } from '@/lib/api/download'
import type { SecondFactor as State } from '@/lib/api/types'
import { leaveTo } from '@/lib/leave'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { onGet, onPost, refusal } from '@/testing/server'
import { aSession } from '@/testing/session'
import { useLastChange } from '../sign-in-methods/use-last-change'
import { SecondFactor } from './second-factor'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/leave', () => ({ leaveTo: vi.fn() }))
vi.mock('@/lib/api/download', () => ({ saveFile: vi.fn() }))

const CODES = ['aaaa1111', 'bbbb2222']
const done = () => new Response(null, { status: 204 })

let state: State

beforeAll(() => import('./second-factor-card'))

beforeEach(() => {
  visit('/profile')
  vi.mocked(leaveTo).mockClear()
  vi.mocked(saveFile).mockClear()
  state = { required: true, enrolled: false, verified: false, recovery_codes: false }
  onGet('/api/is-admin', () => ({ isAdmin: true, isModerator: false }))
  onGet('/api/auth/second-factor', () => state)
  onPost('/api/auth/begin-second-factor', () => ({
    flow: '3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31',
    secret: 'JBSWY3DPEHPK3PXP',
    uri: 'otpauth://totp/Fledge:ada@example.com?issuer=Fledge&secret=JBSWY3DPEHPK3PXP',
    qr_code: 'data:image/png;base64,iVBORw0KGgo=',
  }))
  onPost('/api/auth/create-recovery-codes', () => {
    state = { ...state, recovery_codes: true }
    return { codes: CODES }
  })
})

function SignedIn() {
  const change = useLastChange()
  return useAuth().status === 'signed-in' && <SecondFactor change={change} />
}

const open = () => renderApp(<SignedIn />, { session: aSession() })
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))

it('is for staff alone', async () => {
  let asked = 0
  onGet('/api/is-admin', () => {
    asked++
    return { isAdmin: false, isModerator: false }
  })
  open()
  await waitFor(() => expect(asked).toBe(1))
  expect(screen.queryByRole('heading')).not.toBeInTheDocument()
})

it('is set up with an app, and gives recovery codes once', async () => {
  const sent: unknown[] = []
  onPost('/api/auth/confirm-second-factor', ({ body }) => {
    sent.push(body)
    if (sent.length === 1) return refusal(400, 'wrong_code')
    state = { ...state, enrolled: true, verified: true }
    return done()
  })
  const { container } = open()
  expect(await screen.findByText('You need one to open the staff pages.')).toBeVisible()
  expect(await violations(container)).toEqual([])
  await press('Set up an authenticator app')
  const dialog = await screen.findByRole('dialog', { name: 'Set up an authenticator app' })
  expect(within(dialog).getByRole('img', { name: /QR code/ })).toHaveAttribute(
    'src',
    'data:image/png;base64,iVBORw0KGgo=',
  )
  expect(within(dialog).getByText('JBSWY3DPEHPK3PXP')).toBeVisible()
  expect(await violations(dialog)).toEqual([])
  const code = within(dialog).getByLabelText('Code that the app shows now')
  await userEvent.type(code, '000000{Enter}')
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('The server says no.')
  await userEvent.clear(code)
  await userEvent.type(code, '123456{Enter}')

  const codes = await screen.findByRole('dialog', { name: 'Your recovery codes' })
  expect(
    within(codes)
      .getAllByRole('listitem')
      .map((item) => item.textContent),
  ).toEqual(CODES)
  // They are not shown again, so that only the button closes them.
  expect(fireEvent.keyDown(codes, { key: 'Escape' })).toBe(false)
  expect(fireEvent(codes, new Event('cancel', { cancelable: true }))).toBe(false)
  fireEvent.mouseDown(codes)
  expect(within(codes).queryByRole('button', { name: 'Close' })).not.toBeInTheDocument()
  expect(codes).toBeVisible()
  await press('Download')
  const file = vi.mocked(saveFile).mock.calls[0]![0]
  expect(file.name).toBe('fledge-recovery-codes.txt')
  expect(file.content.size).toBe('aaaa1111\nbbbb2222\n'.length)
  await press('I have saved them')
  expect(await screen.findByText(/You have recovery codes/)).toBeVisible()
  expect(screen.queryByText('aaaa1111')).not.toBeInTheDocument()
  expect(sent).toEqual([
    { flow: '3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31', code: '000000' },
    { flow: '3f1b0a52-b1d9-4e8a-96c1-f0d2e9b84c31', code: '123456' },
  ])
})

it('leads through a fresh sign-in and back', async () => {
  const starts: unknown[] = []
  onPost('/api/auth/begin-second-factor', () => refusal(403, 'fresh_sign_in_required'))
  onPost('/api/auth/signin/{provider}', ({ url, body }) => {
    starts.push([url.search, body])
    return { url: 'https://provider.example/authorize' }
  })
  open()
  await press('Set up an authenticator app')
  await press('Sign in again')
  await waitFor(() => expect(leaveTo).toHaveBeenCalledOnce())
  expect(starts).toEqual([
    ['?refresh=true', { return_to: '/auth/callback?redirect=%2Fprofile%23second-factor' }],
  ])
})

it('is removed after its code and a question', async () => {
  state = { required: false, enrolled: true, verified: false, recovery_codes: true }
  onPost('/api/auth/remove-second-factor', () => {
    if (!state.verified) return refusal(403, 'second_factor_required')
    state = { ...state, enrolled: false, recovery_codes: false }
    return done()
  })
  onPost('/api/auth/verify-second-factor', () => {
    state = { ...state, verified: true }
    return done()
  })
  open()
  await press('Remove')
  const question = () => within(screen.getByRole('alertdialog'))
  await userEvent.click(question().getByRole('button', { name: 'Remove' }))
  await userEvent.type(
    await screen.findByLabelText(/Code of your authenticator app/),
    'aaaa1111{Enter}',
  )
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  await press('Remove')
  await userEvent.click(question().getByRole('button', { name: 'Remove' }))
  expect(await screen.findByText(/Nobody is asked for it at present/)).toBeVisible()
})

it('offers to sign out elsewhere after each change', async () => {
  state = { required: true, enrolled: true, verified: true, recovery_codes: true }
  onPost('/api/auth/sign-out', done)
  open()
  for (let change = 0; change < 2; change++) {
    await press('New recovery codes')
    await press('I have saved them')
    expect(screen.queryByText(/are signed out/)).not.toBeInTheDocument()
    await press('Sign out everywhere else')
    expect(await screen.findByText('Your other browsers and Macs are signed out.')).toBeVisible()
  }
})

it('says why codes could not be created', async () => {
  state = { required: true, enrolled: true, verified: true, recovery_codes: false }
  onPost('/api/auth/create-recovery-codes', () => refusal(503, 'sign_in_unavailable'))
  open()
  expect(await screen.findByText(/another admin has to help/)).toBeVisible()
  await press('Create recovery codes')
  expect(await screen.findByRole('alert')).toHaveTextContent('The server says no.')
})
