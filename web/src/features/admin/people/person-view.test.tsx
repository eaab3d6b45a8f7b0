import { act as advance, fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type {
  AdminUser,
  AuditEntry,
  Device,
  PersonBilling,
  PersonChannel,
  WaitlistUser,
} from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { aSubscription } from '@/testing/billing'
import { visit } from '@/testing/navigation'
import { failure, offline, onGet, onPost, unanswered } from '@/testing/server'
import { aSession } from '@/testing/session'
import {
  aTicket,
  anEntry,
  aUser,
  emailOf,
  idOf,
  renderView,
  serveTickets,
  serveWaitlist,
} from '../testing'
import { UserManagement } from '../user-management'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const mac: Device = {
  id: idOf(101),
  kind: 'mac',
  name: "Ann's MacBook",
  user_agent: 'Fledge/1.1.0 (Macintosh)',
  ip_address: '203.0.113.7',
  created_at: '2025-11-20T08:00:00Z',
  last_active_at: '2025-11-20T09:00:00Z',
  current: false,
}

let user: AdminUser
let devices: Device[]
let billing: PersonBilling
let sent: unknown[]

afterEach(() => vi.useRealTimers())
beforeEach(() => {
  visit(`/admin?tab=users&person=${idOf(1)}`)
  user = aUser(1)
  devices = [mac]
  sent = []
  billing = {
    subscription: null,
    credits: { granted: 15, used: 2.5, held: 0, balance: 12.5, period_end: null },
    entries: [
      {
        id: '1',
        time: '2025-11-20T08:00:00Z',
        kind: 'adjust',
        amount: 15,
        balance_after: 15,
        description: 'Given',
      },
    ],
    nextCursor: null,
    stripeUrl: 'https://dashboard.stripe.com/customers/cus_1',
    owed: 0,
    disputes: 0,
    disabled: false,
    renews: false,
  }
  onGet('/api/get-person', () => user)
  onGet('/api/get-person-devices', () => ({
    devices,
    signIns: [{ ...mac, at: mac.created_at, ended_at: null }],
  }))
  onGet('/api/get-person-billing', () => billing)
  onGet('/api/get-person-channel', (): PersonChannel => ({ channel: 'stable', setAt: null }))
  serveWaitlist(() => [anEntry(1, 'approved')])
  serveTickets(() => [aTicket(1, { message: emailOf(1) }), aTicket(2, { message: emailOf(1) })])
  onGet('/api/get-audit-log', () => ({ data: [], nextCursor: null }))
})

const region = async (name: string) => within(await screen.findByRole('region', { name }))

async function act(button: string, confirm = button) {
  await userEvent.click(await screen.findByRole('button', { name: button }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('button', { name: confirm })).toBeDisabled()
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), ' because ')
  await userEvent.click(dialog.getByRole('button', { name: confirm }))
  return dialog
}

describe("somebody's page", () => {
  it('says what of their payments went back', async () => {
    billing = { ...billing, owed: 3.25, disputes: 1 }
    renderView(UserManagement)
    const plan = await region('Plan and credits')
    expect((await plan.findByText('Disputed payments')).nextSibling).toHaveTextContent('1')
    expect(plan.getByText('Spent, then paid back').nextSibling).toHaveTextContent('3.25')
  })

  it('shows who they are, and what they have and did', async () => {
    const { container } = renderView(UserManagement)
    expect(await screen.findByRole('heading', { name: emailOf(1) })).toHaveFocus()
    const account = await region('Account')
    expect(account.getByText('Active')).toBeVisible()
    expect(account.getByText('Google')).toBeVisible()
    expect(account.getByText(idOf(1))).toBeVisible()
    expect(await (await region('Devices')).findAllByText("Ann's MacBook")).toHaveLength(2)
    const plan = await region('Plan and credits')
    expect(await plan.findByText('Free')).toBeVisible()
    expect(plan.getByText('12.50')).toBeVisible()
    expect(plan.getByText('+15.00')).toBeVisible()
    expect(plan.getByRole('link', { name: 'Open in Stripe' })).toHaveAttribute(
      'href',
      billing.stripeUrl!,
    )
    expect(plan.queryByText('Disputed payments')).toBeNull()
    expect(await (await region('Waitlist')).findByText('Approved')).toBeVisible()
    const tickets = await region('Tickets')
    expect(await tickets.findAllByRole('listitem')).toHaveLength(1)
    expect(tickets.getByRole('link', { name: 'TKT-000001' })).toHaveAttribute(
      'href',
      `/admin?tab=tickets&ticket=${idOf(1)}`,
    )
    expect(await (await region('What staff did')).findByText('Nothing yet.')).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('gives them an update channel, with a reason', async () => {
    let given: PersonChannel = { channel: 'stable', setAt: null }
    onGet('/api/get-person-channel', () => given)
    onPost('/api/set-person-channel', ({ body }) => {
      sent.push(body)
      given = { channel: 'beta', setAt: '2025-11-20T08:00:00Z' }
      return given
    })
    const { container } = renderView(UserManagement)
    const card = await region('Update channel')
    expect(await card.findByText('stable, or as approved on the waitlist')).toBeVisible()
    await userEvent.click(card.getByRole('button', { name: 'Change channel' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Change update channel' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'Helps us test.')
    const button = dialog.getByRole('button', { name: 'Change channel' })
    expect(button).toBeDisabled()
    await userEvent.selectOptions(dialog.getByRole('combobox', { name: 'Channel' }), 'beta')
    await userEvent.click(button)
    expect(await card.findByText('beta')).toBeVisible()
    expect(card.getByText(/Nov 20, 2025/)).toBeVisible()
    expect(sent).toEqual([{ userId: idOf(1), channel: 'beta', reason: 'Helps us test.' }])
    expect(await violations(container)).toEqual([])
  })

  it('takes somebody off the channel that they were approved with', async () => {
    serveWaitlist(() => [{ ...anEntry(1, 'approved'), channel: 'beta' }])
    onPost('/api/set-person-channel', ({ body }): PersonChannel => {
      sent.push(body)
      return { channel: 'stable' as const, setAt: '2025-11-20T08:00:00Z' }
    })
    renderView(UserManagement)
    expect(await (await region('Waitlist')).findByText('beta')).toBeVisible()
    const card = await region('Update channel')
    await userEvent.click(await card.findByRole('button', { name: 'Change channel' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Change update channel' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'Asked for it.')
    await userEvent.selectOptions(dialog.getByRole('combobox', { name: 'Channel' }), 'stable')
    await userEvent.click(dialog.getByRole('button', { name: 'Change channel' }))
    await waitFor(() =>
      expect(sent).toEqual([{ userId: idOf(1), channel: 'stable', reason: 'Asked for it.' }]),
    )
  })

  it('says that emails do not arrive', async () => {
    user = { ...user, email_off_since: '2025-11-20T08:00:00Z' }
    renderView(UserManagement)
    const account = await region('Account')
    expect(account.getByText(/Do not arrive: .* at Apple on Nov 20, 2025/)).toBeVisible()
  })

  it.each([
    [
      'disabled',
      { state: 'disabled', disabled_at: '2025-11-20T08:00:00Z', disabled_because: 'staff' },
      'Enable',
    ],
    ['deleting', { state: 'deleting', erase_at: '2025-11-20T08:00:00Z' }, 'Keep account'],
  ] as const)('of a person who is %s says so', async (_state, values, action) => {
    user = { ...user, ...values }
    renderView(UserManagement)
    expect(await screen.findByRole('button', { name: action })).toBeVisible()
    expect(
      (await region('Account')).getByText(/^Disabled$|^Deleted on Nov 20, 2025$/, {
        selector: 'span',
      }),
    ).toBeVisible()
  })

  it('names a reason that only a newer server knows by its own word', async () => {
    user = { ...user, state: 'disabled', disabled_at: '2025-11-20T08:00:00Z' }
    user.disabled_because = 'by_law' as AdminUser['disabled_because']
    renderView(UserManagement)
    await screen.findByRole('button', { name: 'Enable' })
    expect((await region('Account')).getByText(/Nov 20, 2025 .* · by law$/)).toBeVisible()
  })

  it('shows of a long ticket the beginning', async () => {
    const shown = emailOf(1).padEnd(79, 'x')
    serveTickets(() => [aTicket(1, { message: `${shown}🐣 and more` })])
    renderView(UserManagement)
    expect(await (await region('Tickets')).findByText(`${shown}…`)).toBeVisible()
  })

  it('is read by moderators, without what is for admins', async () => {
    const refused = vi.fn(() => failure(403, 'Admins only.'))
    onGet('/api/get-person-devices', refused)
    onGet('/api/get-person-billing', refused)
    onGet('/api/get-person-channel', refused)
    onGet('/api/get-audit-log', refused)
    const { container } = renderView(UserManagement, 'moderator')
    expect(await screen.findByRole('heading', { name: emailOf(1) })).toBeVisible()
    expect(await screen.findByText('Approved')).toBeVisible()
    expect(await screen.findByRole('list', { name: 'Tickets' })).toBeVisible()
    expect(screen.getAllByRole('heading', { level: 3 }).map((h) => h.textContent)).toEqual([
      'Account',
      'Waitlist',
      'Tickets',
    ])
    expect(screen.getAllByRole('button').map((b) => b.textContent)).toEqual(['New ticket'])
    expect(refused).not.toHaveBeenCalled()
    expect(await violations(container)).toEqual([])
  })

  it('of oneself offers nothing that locks out', async () => {
    user = { ...user, id: aSession().user.id }
    renderView(UserManagement)
    expect(await screen.findByRole('button', { name: 'Change roles' })).toBeVisible()
    for (const name of ['Disable', 'Delete account']) {
      expect(screen.queryByRole('button', { name })).not.toBeInTheDocument()
    }
  })

  it('sends an approval email again that was not delivered', async () => {
    let entry = {
      ...anEntry(1, 'approved'),
      mail: 'bounced' as WaitlistUser['mail'],
      mail_reply: '550 5.1.1',
    }
    serveWaitlist(() => [entry])
    onPost('/api/approve-waitlist-user', ({ body }) => {
      sent.push(body)
      entry = { ...entry, mail: 'waiting' }
      return { message: 'The approval email is sent again' }
    })
    const { container } = renderView(UserManagement)
    const waitlist = await region('Waitlist')
    expect(await waitlist.findByText('The email bounced: 550 5.1.1')).toBeVisible()
    expect(await violations(container)).toEqual([])
    await act('Resend approval email', 'Resend email')
    expect(await screen.findByText('The approval email is sent again')).toBeVisible()
    expect(sent).toEqual([{ waitlistUserId: entry.id, action: 'resend', reason: 'because' }])
    await waitFor(() => expect(waitlist.queryByText(/The email bounced/)).toBeNull())
    await waitFor(() =>
      expect(waitlist.getByRole('button', { name: 'Resend approval email' })).toHaveFocus(),
    )
  })

  it('sends again what the provider has taken, and nothing to who is not approved', async () => {
    serveWaitlist(() => [{ ...anEntry(1, 'approved'), mail: 'sent' }])
    const { unmount } = renderView(UserManagement)
    let waitlist = await region('Waitlist')
    expect(await waitlist.findByRole('button', { name: 'Resend approval email' })).toBeVisible()
    unmount()
    serveWaitlist(() => [anEntry(1, 'pending')])
    renderView(UserManagement)
    waitlist = await region('Waitlist')
    expect(await waitlist.findByText('Pending')).toBeVisible()
    expect(waitlist.queryByRole('button')).toBeNull()
  })

  it('does not send again to somebody who wants no emails', async () => {
    serveWaitlist(() => [{ ...anEntry(1, 'approved'), mail: 'bounced', left: true }])
    renderView(UserManagement)
    const waitlist = await region('Waitlist')
    expect(await waitlist.findByText('The email bounced')).toBeVisible()
    expect(waitlist.queryByRole('button')).toBeNull()
  })

  it('shows the best of the entries of other addresses that the account uses', async () => {
    const uses = (n: number, status: WaitlistUser['status']) => ({
      ...anEntry(n, status),
      email: `other-${n}@fledge.test`,
      claimed_email: emailOf(1),
    })
    serveWaitlist(() => [
      uses(4, 'parked' as WaitlistUser['status']),
      anEntry(1, 'rejected'),
      uses(2, 'pending'),
      uses(3, 'approved'),
    ])
    renderView(UserManagement)
    const waitlist = await region('Waitlist')
    expect(await waitlist.findByText('Approved')).toBeVisible()
    expect(waitlist.getByText('other-3@fledge.test')).toBeVisible()
  })

  it('undoes an approval while its email waits', async () => {
    const undo_until = new Date(Date.now() + 60_000).toISOString()
    let entry: WaitlistUser = { ...anEntry(1, 'approved'), mail: 'waiting', undo_until }
    const sent: unknown[] = []
    serveWaitlist(() => [entry])
    onPost('/api/approve-waitlist-user', ({ body }) => {
      sent.push(body)
      entry = anEntry(1)
      return { message: 'Undone' }
    })
    renderView(UserManagement)
    const waitlist = await region('Waitlist')
    const undo = await waitlist.findByRole('button', { name: 'Undo approval' })
    expect(waitlist.getByText(/^The email leaves in \d+ s$/)).toBeVisible()
    expect(waitlist.queryByRole('button', { name: 'Resend approval email' })).toBeNull()
    await userEvent.click(undo)
    expect(await waitlist.findByText('Pending')).toBeVisible()
    expect(sent).toEqual([{ waitlistUserId: entry.id, action: 'undo' }])
    expect(waitlist.queryByRole('button')).toBeNull()
    expect(document.body).not.toHaveFocus()
  })

  it.each([false, true])(
    'keeps the focus when the time to undo ends; wants no emails: %s',
    async (left) => {
      vi.useFakeTimers({ shouldAdvanceTime: true })
      const undo_until = new Date(Date.now() + 60_000).toISOString()
      serveWaitlist(() => [{ ...anEntry(1, 'approved'), mail: 'waiting', undo_until, left }])
      renderView(UserManagement)
      const waitlist = await region('Waitlist')
      const undo = await waitlist.findByRole('button', { name: 'Undo approval' })
      advance(() => undo.focus())
      advance(() => vi.advanceTimersByTime(61_000))
      expect(waitlist.queryByRole('button', { name: 'Undo approval' })).toBeNull()
      if (left) expect(waitlist.getByText('Approved').closest('[tabindex]')).toHaveFocus()
      else expect(waitlist.getByRole('button', { name: 'Resend approval email' })).toHaveFocus()
    },
  )

  it('of somebody without an account shows the waitlist', async () => {
    visit(`/admin?tab=users&person=${encodeURIComponent(emailOf(1))}`)
    onGet('/api/get-person', () => failure(404, 'This account does not exist.'))
    renderView(UserManagement)
    expect(await screen.findByText('There is no account with this id or address.')).toBeVisible()
    expect(await (await region('Waitlist')).findByText('Approved')).toBeVisible()
  })

  it('shows the other parts when one fails, which is tried again', async () => {
    onGet('/api/get-person-billing', () => failure(400, 'Billing is away.'))
    renderView(UserManagement)
    const plan = await region('Plan and credits')
    expect(await plan.findByRole('alert')).toHaveTextContent('Billing is away.')
    expect(await (await region('Devices')).findAllByText("Ann's MacBook")).toHaveLength(2)
    onGet('/api/get-person-billing', () => billing)
    await userEvent.click(plan.getByRole('button', { name: 'Try again' }))
    expect(await plan.findByText('12.50')).toBeVisible()
  })

  it('shows the other parts when one has an odd answer', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    billing = { ...billing, subscription: {} as never }
    renderView(UserManagement)
    const plan = await region('Plan and credits')
    expect(await plan.findByText('This part of the page could not be shown.')).toBeVisible()
    expect(await (await region('Waitlist')).findByText('Approved')).toBeVisible()
    expect(log).toHaveBeenCalled()
  })
})

describe('an action', () => {
  it('disables the account, and says so', async () => {
    onPost('/api/set-person-state', ({ body }) => {
      sent.push(body)
      user = { ...user, state: 'disabled', disabled_because: 'staff' }
      return user
    })
    renderView(UserManagement)
    await act('Disable')
    expect(await screen.findByText('Account disabled')).toBeVisible()
    expect(sent).toEqual([{ userId: idOf(1), state: 'disabled', reason: 'because' }])
    expect(await screen.findByRole('button', { name: 'Enable' })).toBeVisible()
  })

  it('enables the account', async () => {
    user = { ...user, state: 'disabled', disabled_because: 'staff' }
    onPost('/api/set-person-state', ({ body }) => {
      sent.push(body)
      user = aUser(1)
      return user
    })
    renderView(UserManagement)
    await act('Enable')
    expect(await screen.findByText('Account enabled')).toBeVisible()
    expect(sent).toEqual([{ userId: idOf(1), state: 'active', reason: 'because' }])
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
    user = { ...aUser(1), state: 'disabled' }
    billing = {
      ...billing,
      disabled: true,
      subscription: aSubscription({ status: 'cancelled' }),
    }
    onPost('/api/set-person-renewal', ({ body }) => {
      sent.push(body)
      billing = { ...billing, renews: !billing.renews }
      return null
    })
    renderView(UserManagement)
    for (const label of ['Let the plan renew', 'Stop renewing']) {
      await act(label)
      await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    }
    const change = { userId: idOf(1), reason: 'because' }
    expect(sent).toEqual([
      { ...change, renews: true },
      { ...change, renews: false },
    ])
    const plan = await region('Plan and credits')
    expect(await plan.findByRole('button', { name: 'Let the plan renew' })).toBeVisible()
  })

  it('offers to let the plan renew once billing has heard that the account is disabled', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    billing = { ...billing, subscription: aSubscription() }
    onPost('/api/set-person-state', () => {
      user = { ...user, state: 'disabled' }
      return user
    })
    renderView(UserManagement)
    await region('Plan and credits')
    fireEvent.click(await screen.findByRole('button', { name: 'Disable' }))
    const dialog = within(await screen.findByRole('dialog'))
    fireEvent.change(dialog.getByRole('textbox', { name: 'Reason' }), { target: { value: 'spam' } })
    fireEvent.click(dialog.getByRole('button', { name: 'Disable' }))
    expect(await screen.findByText('Account disabled')).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Let the plan renew' })).toBeNull()
    billing = { ...billing, disabled: true }
    await advance(() => vi.advanceTimersByTimeAsync(6000))
    expect(await screen.findByRole('button', { name: 'Let the plan renew' })).toBeVisible()
  })

  it('deletes the account', async () => {
    onPost('/api/delete-person', ({ body }) => {
      sent.push(body)
      user = { ...user, state: 'deleting', erase_at: '2025-11-27T08:00:00Z' }
      return user
    })
    renderView(UserManagement)
    await act('Delete account')
    expect(await screen.findByText('Deleted on Nov 27, 2025')).toBeVisible()
    expect(sent).toEqual([{ userId: idOf(1), reason: 'because' }])
  })

  it('signs the person out everywhere', async () => {
    onPost('/api/sign-out-person', ({ body }) => {
      sent.push(body)
      devices = []
      return { ended: 1 }
    })
    renderView(UserManagement)
    await act('Sign out everywhere')
    expect(await screen.findByText('Not signed in anywhere.')).toBeVisible()
    expect(sent).toEqual([{ userId: idOf(1), reason: 'because' }])
  })

  it('signs one device out, by keyboard', async () => {
    onPost('/api/revoke-person-device', ({ body }) => {
      sent.push(body)
      devices = []
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
    expect(sent).toEqual([{ userId: idOf(1), deviceId: mac.id, reason: 'because' }])
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
      if (!cursor) return { ...billing, nextCursor: 'next' }
      if (fails) return failure(403, 'Not now.')
      return { ...billing, entries: [{ ...billing.entries[0]!, id: '2', description: 'Older' }] }
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
      sent.push(body)
      return sent.length === 1 ? offline() : { credits: billing.credits! }
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
    expect(sent[1]).toEqual(sent[0])
    expect(sent[0]).toMatchObject({ amount: 50, reason: 'Sorry' })
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
    // The next one is another.
    await userEvent.click(screen.getByRole('button', { name: 'Adjust credits' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'Credits' }), '50')
    await userEvent.type(screen.getByRole('textbox', { name: 'Reason' }), 'Sorry')
    await adjust()
    await waitFor(() => expect(sent).toHaveLength(3))
    expect(sent[2]).not.toEqual(sent[0])
  })

  it('adjusts credits, with the same key when it is tried again', async () => {
    onPost('/api/adjust-credits', ({ body }) => {
      sent.push(body)
      return sent.length === 1 ? failure(503, 'Please try again.') : { credits: billing.credits! }
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
    expect(sent[0]).toEqual({
      userId: idOf(1),
      amount: -2.5,
      reason: 'because',
      idempotencyKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    expect(sent[1]).toEqual(sent[0])
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
    onPost('/api/adjust-credits', () => ({ credits: billing.credits! }))
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
