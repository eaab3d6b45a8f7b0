import { act as advance, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuditEntry } from '@/lib/api/types'
import { aSubscription } from '@/testing/billing'
import { failure, offline, onGet, onPost, unanswered } from '@/testing/server'
import { aUser, emailOf, idOf, renderView } from '../testing'
import { UserManagement } from '../user-management'
import { act, mac, region, servePerson, shown } from './testing'

vi.mock('next/navigation', () => import('@/testing/navigation'))

afterEach(() => vi.useRealTimers())
beforeEach(servePerson)

describe('an action', () => {
  it('disables the account, and says so', async () => {
    onPost('/api/set-person-state', ({ body }) => {
      shown.sent.push(body)
      shown.user = { ...shown.user, state: 'disabled', disabled_because: 'staff' }
      return shown.user
    })
    renderView(UserManagement)
    await act('Disable')
    expect(await screen.findByText('Account disabled')).toBeVisible()
    expect(shown.sent).toEqual([{ userId: idOf(1), state: 'disabled', reason: 'because' }])
    expect(await screen.findByRole('button', { name: 'Enable' })).toBeVisible()
  })

  it('enables the account', async () => {
    shown.user = { ...shown.user, state: 'disabled', disabled_because: 'staff' }
    onPost('/api/set-person-state', ({ body }) => {
      shown.sent.push(body)
      shown.user = aUser(1)
      return shown.user
    })
    renderView(UserManagement)
    await act('Enable')
    expect(await screen.findByText('Account enabled')).toBeVisible()
    expect(shown.sent).toEqual([{ userId: idOf(1), state: 'active', reason: 'because' }])
  })

  it.each([
    [() => failure(409, 'There must be at least one admin.'), 'There must be at least one admin.'],
    [
      () => failure(403, 'Please sign in again to confirm that it is you.'),
      'Please sign in again to confirm that it is you.',
    ],
    [offline, 'Network error. Please try again.'],
  ])('that is refused says why, and keeps what was typed (%#)', async (answer, text) => {
    onPost('/api/delete-person', answer)
    renderView(UserManagement)
    const dialog = await act('Delete account')
    expect(await dialog.findByRole('alert')).toHaveTextContent(text)
    expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue(' because ')
  })

  it('lets the plan of a disabled account renew, and stops that again', async () => {
    shown.user = { ...aUser(1), state: 'disabled' }
    shown.billing = {
      ...shown.billing,
      disabled: true,
      subscription: aSubscription({ status: 'cancelled' }),
    }
    onPost('/api/set-person-renewal', ({ body }) => {
      shown.sent.push(body)
      shown.billing = { ...shown.billing, renews: !shown.billing.renews }
      return null
    })
    renderView(UserManagement)
    for (const label of ['Let the plan renew', 'Stop renewing']) {
      await act(label)
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    }
    const change = { userId: idOf(1), reason: 'because' }
    expect(shown.sent).toEqual([
      { ...change, renews: true },
      { ...change, renews: false },
    ])
    const plan = await region('Plan and credits')
    expect(await plan.findByRole('button', { name: 'Let the plan renew' })).toBeVisible()
  })

  it('offers to let the plan renew once billing has heard that the account is disabled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    shown.billing = { ...shown.billing, subscription: aSubscription() }
    onPost('/api/set-person-state', () => {
      shown.user = { ...shown.user, state: 'disabled' }
      return shown.user
    })
    renderView(UserManagement)
    await region('Plan and credits')
    fireEvent.click(await screen.findByRole('button', { name: 'Disable' }))
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(dialog.getByRole('textbox', { name: 'Reason' }), { target: { value: 'spam' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Disable' }))
    expect(await screen.findByText('Account disabled')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Let the plan renew' })).toBeNull()
    shown.billing = { ...shown.billing, disabled: true }
    await advance(() => vi.advanceTimersByTimeAsync(6000))
    expect(await screen.findByRole('button', { name: 'Let the plan renew' })).toBeVisible()
  })

  it('deletes the account', async () => {
    onPost('/api/delete-person', ({ body }) => {
      shown.sent.push(body)
      shown.user = { ...shown.user, state: 'deleting', erase_at: '2025-11-27T08:00:00Z' }
      return shown.user
    })
    renderView(UserManagement)
    await act('Delete account')
    expect(await screen.findByText('Deleted on Nov 27, 2025')).toBeVisible()
    expect(shown.sent).toEqual([{ userId: idOf(1), reason: 'because' }])
  })

  it('signs the person out everywhere', async () => {
    onPost('/api/sign-out-person', ({ body }) => {
      shown.sent.push(body)
      shown.devices = []
      return { ended: 1 }
    })
    renderView(UserManagement)
    await act('Sign out everywhere')
    expect(await screen.findByText('Not signed in anywhere.')).toBeVisible()
    expect(shown.sent).toEqual([{ userId: idOf(1), reason: 'because' }])
  })

  it('signs one device out, by keyboard', async () => {
    onPost('/api/revoke-person-device', ({ body }) => {
      shown.sent.push(body)
      shown.devices = []
      return new HttpResponse(null, { status: 204 })
    })
    renderView(UserManagement)
    const button = await screen.findByRole('button', { name: "Sign out of Ann's MacBook" })
    button.focus()
    await userEvent.keyboard('{Enter}')
    const dialog = within(await screen.findByRole('dialog'))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'because')
    dialog.getByRole('button', { name: 'Sign out' }).focus()
    await userEvent.keyboard('{Enter}')
    expect(await screen.findByText('Not signed in anywhere.')).toBeVisible()
    expect(shown.sent).toEqual([{ userId: idOf(1), deviceId: mac.id, reason: 'because' }])
  })

  it('says of a part that takes long that it is still being loaded', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true })
    onGet('/api/get-person-billing', unanswered)
    renderView(UserManagement)
    const card = await region('Plan and credits')
    await advance(() => vi.advanceTimersByTimeAsync(3000))
    expect(card.getByText('Still trying…')).toBeVisible()
  })

  it('says why more could not be loaded, and asks for that alone again', async () => {
    const asked: string[] = []
    let fails = true
    onGet('/api/get-person-billing', ({ url }) => {
      const cursor = url.searchParams.get('cursor') ?? ''
      asked.push(cursor)
      if (!cursor) return { ...shown.billing, nextCursor: 'next' }
      if (fails) return failure(403, 'Not now.')
      return {
        ...shown.billing,
        entries: [{ ...shown.billing.entries[0]!, id: '2', description: 'Older' }],
      }
    })
    renderView(UserManagement)
    const card = await region('Plan and credits')
    await userEvent.click(await card.findByRole('button', { name: 'Load more' }))
    expect(await card.findByRole('alert')).toHaveTextContent('Not now.')
    expect(card.getByText(/Given/)).toBeVisible()
    expect(card.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument()
    fails = false
    await userEvent.click(card.getByRole('button', { name: 'Try again' }))
    expect(await card.findByText(/Older/)).toBeVisible()
    expect(card.queryByRole('alert')).not.toBeInTheDocument()
    expect(asked).toEqual(['', 'next', 'next'])
  })

  it('is gone on with after a sign-in, as it was typed', async () => {
    const { unmount } = renderView(UserManagement)
    await userEvent.click(await screen.findByRole('button', { name: 'Adjust credits' }))
    const fields = async () => {
      const dialog = within(await screen.findByRole('dialog', { name: 'Adjust credits' }))
      return ['Credits', 'Reason'].map((name) => dialog.getByRole('textbox', { name }))
    }
    const [credits, reason] = await fields()
    await userEvent.type(credits as HTMLElement, '-2.50')
    await userEvent.type(reason as HTMLElement, 'A mistake.')
    unmount()
    renderView(UserManagement)
    for (const [i, text] of ['-2.50', 'A mistake.'].entries())
      expect((await fields())[i]).toHaveValue(text)
  })

  it('adjusts credits once, also when the answer was lost and the page loaded again', async () => {
    onPost('/api/adjust-credits', ({ body }) => {
      shown.sent.push(body)
      return shown.sent.length === 1 ? offline() : { credits: shown.billing.credits! }
    })
    const adjust = async () => {
      const dialog = within(await screen.findByRole('dialog', { name: 'Adjust credits' }))
      await userEvent.click(dialog.getByRole('button', { name: 'Adjust credits' }))
      return dialog
    }
    const { unmount } = renderView(UserManagement)
    await userEvent.click(await screen.findByRole('button', { name: 'Adjust credits' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'Credits' }), '50')
    // As pasted, with a character that the server refuses.
    fireEvent.change(screen.getByRole('textbox', { name: 'Reason' }), {
      target: { value: 'Sor\u0007ry' },
    })
    expect(await (await adjust()).findByRole('alert')).toBeVisible()
    unmount()
    renderView(UserManagement)
    await adjust()
    expect(await screen.findByText('Credits adjusted')).toBeVisible()
    expect(shown.sent[1]).toEqual(shown.sent[0])
    expect(shown.sent[0]).toMatchObject({ amount: 50, reason: 'Sorry' })
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    // The next one is another.
    await userEvent.click(screen.getByRole('button', { name: 'Adjust credits' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'Credits' }), '50')
    await userEvent.type(screen.getByRole('textbox', { name: 'Reason' }), 'Sorry')
    await adjust()
    await waitFor(() => expect(shown.sent).toHaveLength(3))
    expect(shown.sent[2]).not.toEqual(shown.sent[0])
  })

  it('adjusts credits, with the same key when it is tried again', async () => {
    onPost('/api/adjust-credits', ({ body }) => {
      shown.sent.push(body)
      return shown.sent.length === 1
        ? failure(503, 'Please try again.')
        : { credits: shown.billing.credits! }
    })
    renderView(UserManagement)
    await userEvent.click(await screen.findByRole('button', { name: 'Adjust credits' }))
    const dialog = within(await screen.findByRole('dialog'))
    const credits = dialog.getByRole('textbox', { name: 'Credits' })
    await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'because')
    const confirm = dialog.getByRole('button', { name: 'Adjust credits' })
    for (const wrong of ['0', '1.234', '10001', 'x', '-']) {
      await userEvent.clear(credits)
      await userEvent.type(credits, wrong)
      expect(confirm).toBeDisabled()
      expect(credits).toBeInvalid()
    }
    await userEvent.clear(credits)
    await userEvent.type(credits, '-2.50')
    await userEvent.click(confirm)
    expect(await dialog.findByRole('alert')).toHaveTextContent('Please try again.')
    await userEvent.click(confirm)
    expect(await screen.findByText('Credits adjusted')).toBeVisible()
    expect(shown.sent[0]).toEqual({
      userId: idOf(1),
      amount: -2.5,
      reason: 'because',
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(shown.sent[1]).toEqual(shown.sent[0])
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })

  it('shows in what staff did that credits were adjusted, once the log has it, and as many pages as before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    const entry = (n: number, action: string): AuditEntry => ({
      id: idOf(n),
      at: '2025-11-20T09:00:00Z',
      actor_id: idOf(2),
      actor_email: emailOf(2),
      action,
      subject: idOf(1),
      subject_label: '',
      before: null,
      after: { amount: 5 },
      client_ip: '203.0.113.7',
      user_agent: '',
      request_id: '',
      reason: 'because',
    })
    let log = [entry(202, 'user.disabled'), entry(201, 'user.enabled')]
    onGet('/api/get-audit-log', ({ url }) => {
      const from = log.findIndex(({ id }) => id === url.searchParams.get('cursor')) + 1
      const data = log.slice(from, from + 1)
      return { data, nextCursor: log.length > from + 1 ? data[0]!.id : null }
    })
    onPost('/api/adjust-credits', () => ({ credits: shown.billing.credits! }))
    renderView(UserManagement)
    const done = await region('What staff did')
    fireEvent.click(await done.findByRole('button', { name: 'Load more' }))
    await waitFor(() => expect(done.getAllByText('because')).toHaveLength(2))
    fireEvent.click(await screen.findByRole('button', { name: 'Adjust credits' }))
    const dialog = within(await screen.findByRole('dialog'))
    for (const [name, value] of [
      ['Credits', '5'],
      ['Reason', 'because'],
    ] as const)
      fireEvent.change(dialog.getByRole('textbox', { name }), { target: { value } })
    fireEvent.click(dialog.getByRole('button', { name: 'Adjust credits' }))
    expect(await screen.findByText('Credits adjusted')).toBeVisible()
    await advance(() => vi.advanceTimersByTimeAsync(1000))
    log = [entry(203, 'credits.adjusted'), ...log]
    await advance(() => vi.advanceTimersByTimeAsync(6000))
    expect(await done.findByText(/adjusted the credits of/)).toBeVisible()
    expect(done.getAllByText('because')).toHaveLength(2)
  })
})
