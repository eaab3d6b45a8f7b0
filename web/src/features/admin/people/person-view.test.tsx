import { act as advance, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { AdminUser, PersonChannel, WaitlistUser } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { aSubscription } from '@/testing/billing'
import { visit } from '@/testing/navigation'
import { failure, onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import {
  aTicket,
  anEntry,
  emailOf,
  idOf,
  renderView,
  serveTickets,
  serveWaitlist,
} from '../testing'
import { UserManagement } from '../user-management'
import { act, region, servePerson, shown } from './testing'

vi.mock('next/navigation', () => import('@/testing/navigation'))

afterEach(() => vi.useRealTimers())
beforeEach(servePerson)

describe("somebody's page", () => {
  it('says what of their payments went back', async () => {
    shown.billing = { ...shown.billing, owed: 3.25, disputes: 1 }
    renderView(UserManagement)
    const plan = await region('Plan and credits')
    expect((await plan.findByText('Disputed payments')).nextSibling).toHaveTextContent('1')
    expect(plan.getByText('Spent, then paid back').nextSibling).toHaveTextContent('3.25')
  })

  const due = { amount: 25, currency: 'usd', since: '2026-12-21T12:00:00Z', processing: false }
  const facts = ['Next billing date', 'Ends', 'Overdue', 'On its way', 'Paid until']
  it.each([
    ['active', undefined, 'Next billing date', 'December 24, 2026'],
    ['cancelled', undefined, 'Ends', 'December 24, 2026'],
    ['past_due', due, 'Overdue', '$25.00 since December 21, 2026'],
    ['past_due', { ...due, processing: true }, 'On its way', '$25.00 since December 21, 2026'],
    ['past_due', undefined, null, null],
    ['processing', due, null, null],
    ['paused', undefined, null, null],
  ])('of a plan that is %s says what comes next', async (status, owes, name, text) => {
    const end = '2026-12-24T12:00:00Z'
    const subscription = aSubscription({ status, current_period_end: end })
    shown.billing.subscription = { ...subscription, ...(owes && { due: owes }) }
    renderView(UserManagement)
    const plan = await region('Plan and credits')
    expect(await plan.findByText('Status')).toBeVisible()
    for (const fact of facts.filter((fact) => fact !== name)) {
      expect(plan.queryByText(fact)).toBeNull()
    }
    if (name) expect(plan.getByText(name).nextSibling).toHaveTextContent(text ?? '')
  })

  it('shows who they are, and what they have and did', async () => {
    const { container } = renderView(UserManagement)
    expect(await screen.findByRole('heading', { name: emailOf(1) })).toHaveFocus()
    const account = await region('Account')
    expect(account.getByText('Active')).toBeVisible()
    expect(account.getByText('Google')).toBeVisible()
    expect(account.getByText(idOf(1))).toBeVisible()
    const devices = await region('Devices')
    expect(await devices.findAllByText("Ann's MacBook")).toHaveLength(2)
    // A sign-in is not told to have come from where the device was used later.
    expect(devices.getByRole('list', { name: 'Sign-ins', hidden: true })).toHaveTextContent(
      /· last used from 203\.0\.113\.7$/,
    )
    const plan = await region('Plan and credits')
    expect(await plan.findByText('Free')).toBeVisible()
    expect(plan.getByText('12.50')).toBeVisible()
    expect(plan.getByText('+15.00')).toBeVisible()
    expect(plan.getByRole('link', { name: 'Open in Stripe' })).toHaveAttribute(
      'href',
      shown.billing.stripeUrl!,
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
      shown.sent.push(body)
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
    expect(shown.sent).toEqual([{ userId: idOf(1), channel: 'beta', reason: 'Helps us test.' }])
    expect(await violations(container)).toEqual([])
  })

  it('takes somebody off the channel that they were approved with', async () => {
    serveWaitlist(() => [{ ...anEntry(1, 'approved'), channel: 'beta' }])
    onPost('/api/set-person-channel', ({ body }): PersonChannel => {
      shown.sent.push(body)
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
      expect(shown.sent).toEqual([{ userId: idOf(1), channel: 'stable', reason: 'Asked for it.' }]),
    )
  })

  it('shows a channel that only a newer server knows', async () => {
    const channel = 'nightly' as PersonChannel['channel']
    onGet('/api/get-person-channel', () => ({ channel, setAt: '2025-11-20T08:00:00Z' }))
    renderView(UserManagement)
    const card = await region('Update channel')
    await userEvent.click(await card.findByRole('button', { name: 'Change channel' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Change update channel' }))
    const choice = dialog.getByRole('combobox', { name: 'Channel' })
    expect(choice).toHaveDisplayValue('nightly')
    await userEvent.selectOptions(choice, 'beta')
    await userEvent.selectOptions(choice, 'nightly')
    expect(choice).toHaveDisplayValue('nightly')
  })

  it('takes back what staff gave', async () => {
    onGet('/api/get-person-channel', (): PersonChannel => ({
      channel: 'alpha',
      setAt: '2025-11-20T08:00:00Z',
    }))
    onPost('/api/set-person-channel', ({ body }): PersonChannel => {
      shown.sent.push(body)
      return { channel: 'stable', setAt: null }
    })
    renderView(UserManagement)
    const card = await region('Update channel')
    await userEvent.click(await card.findByRole('button', { name: 'Change channel' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Change update channel' }))
    await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'Helped us test.')
    await userEvent.selectOptions(
      dialog.getByRole('combobox', { name: 'Channel' }),
      'As approved on the waitlist',
    )
    await userEvent.click(dialog.getByRole('button', { name: 'Change channel' }))
    await waitFor(() =>
      expect(shown.sent).toEqual([{ userId: idOf(1), channel: 'none', reason: 'Helped us test.' }]),
    )
  })

  it('says that emails do not arrive', async () => {
    shown.user = { ...shown.user, email_off_since: '2025-11-20T08:00:00Z' }
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
    shown.user = { ...shown.user, ...values }
    renderView(UserManagement)
    expect(await screen.findByRole('button', { name: action })).toBeVisible()
    expect(
      (await region('Account')).getByText(/^Disabled$|^Deleted on Nov 20, 2025$/, {
        selector: 'span',
      }),
    ).toBeVisible()
  })

  it('of a person who has ended for good offers neither to bring it back nor to delete it', async () => {
    shown.user = {
      ...shown.user,
      state: 'disabled',
      disabled_at: '2025-11-20T08:00:00Z',
      disabled_because: 'gone',
    }
    renderView(UserManagement)
    expect(await screen.findByRole('button', { name: 'Sign out everywhere' })).toBeVisible()
    for (const name of ['Enable', 'Delete account'])
      expect(screen.queryByRole('button', { name })).not.toBeInTheDocument()
  })

  it('names a reason that only a newer server knows by its own word', async () => {
    shown.user = { ...shown.user, state: 'disabled', disabled_at: '2025-11-20T08:00:00Z' }
    shown.user.disabled_because = 'by_law' as AdminUser['disabled_because']
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
    shown.user = { ...shown.user, id: aSession().user.id }
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
      shown.sent.push(body)
      entry = { ...entry, mail: 'waiting' }
      return { message: 'The approval email is sent again' }
    })
    const { container } = renderView(UserManagement)
    const waitlist = await region('Waitlist')
    expect(await waitlist.findByText('The email bounced: 550 5.1.1')).toBeVisible()
    expect(await violations(container)).toEqual([])
    await act('Resend approval email', 'Resend email')
    expect(await screen.findByText('The approval email is sent again')).toBeVisible()
    expect(shown.sent).toEqual([{ waitlistUserId: entry.id, action: 'resend', reason: 'because' }])
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
    serveWaitlist(() => [entry])
    onPost('/api/approve-waitlist-user', ({ body }) => {
      shown.sent.push(body)
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
    expect(shown.sent).toEqual([{ waitlistUserId: entry.id, action: 'undo' }])
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

  it('of somebody without an account finds the domain in whichever way it is spelled', async () => {
    visit(`/admin?tab=users&person=${encodeURIComponent('Jane@Bücher.test')}`)
    onGet('/api/get-person', () => failure(404, 'This account does not exist.'))
    serveWaitlist(() => [{ ...anEntry(1, 'approved'), email: 'jane@xn--bcher-kva.test' }])
    renderView(UserManagement)
    expect(await (await region('Waitlist')).findByText('Approved')).toBeVisible()
  })

  it('finds the best entry behind a page of others, and fails and is tried again there', async () => {
    const others = [
      { ...anEntry(3), email: `x-${emailOf(1)}` },
      anEntry(1, 'pending'),
      { ...anEntry(4, 'approved'), claimed_email: emailOf(1) },
    ]
    let fails = true
    const arrived = vi.fn()
    onGet('/api/get-waitlist-users', ({ url }) => {
      const from = Number(url.searchParams.get('cursor') ?? 0)
      if (from === 2 && fails) return failure(400, 'No second page.')
      arrived()
      const nextCursor = from < 2 ? String(from + 1) : null
      return { data: others.slice(from, from + 1), nextCursor, undelivered: 0, unconfirmed: 0 }
    })
    renderView(UserManagement)
    const waitlist = await region('Waitlist')
    expect(await waitlist.findByText('No second page.')).toBeVisible()
    expect(arrived).toHaveBeenCalledTimes(2)
    expect(waitlist.queryByText(/Not on the waitlist|Pending/)).toBeNull()
    fails = false
    await userEvent.click(waitlist.getByRole('button', { name: 'Try again' }))
    expect(await waitlist.findByText('Approved')).toBeVisible()
  })

  it('says that somebody is not on the waitlist once all that was found is seen', async () => {
    let arrive: (() => void) | undefined
    onGet('/api/get-waitlist-users', async ({ url }) => {
      const more = !url.searchParams.has('cursor')
      if (!more) await new Promise<void>((resolve) => (arrive = resolve))
      const data = [{ ...anEntry(more ? 3 : 4), email: `x${more}-${emailOf(1)}` }]
      return { data, nextCursor: more ? '1' : null, undelivered: 0, unconfirmed: 0 }
    })
    renderView(UserManagement)
    const waitlist = await region('Waitlist')
    await waitFor(() => expect(arrive).toBeDefined())
    expect(waitlist.getByText('Loading: Waitlist')).toBeVisible()
    expect(waitlist.queryByText('Not on the waitlist.')).toBeNull()
    arrive?.()
    expect(await waitlist.findByText('Not on the waitlist.')).toBeVisible()
  })

  it.each([
    [20, 'No tickets.'],
    [21, 'None of theirs among the newest 20 tickets that name this address.'],
  ])('of %d tickets that others wrote about them says what was looked at', async (total, text) => {
    serveTickets(
      () => Array.from({ length: total }, (_, n) => aTicket(n + 2, { message: emailOf(1) })),
      { pageSize: 20 },
    )
    renderView(UserManagement)
    expect(await (await region('Tickets')).findByText(text)).toBeVisible()
  })

  it('shows the other parts when one fails, which is tried again', async () => {
    onGet('/api/get-person-billing', () => failure(400, 'Billing is away.'))
    renderView(UserManagement)
    const plan = await region('Plan and credits')
    expect(await plan.findByRole('alert')).toHaveTextContent('Billing is away.')
    expect(await (await region('Devices')).findAllByText("Ann's MacBook")).toHaveLength(2)
    onGet('/api/get-person-billing', () => shown.billing)
    await userEvent.click(plan.getByRole('button', { name: 'Try again' }))
    expect(await plan.findByText('12.50')).toBeVisible()
  })

  it('shows the other parts when one has an odd answer', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    shown.billing = { ...shown.billing, subscription: {} as never }
    renderView(UserManagement)
    const plan = await region('Plan and credits')
    expect(await plan.findByText('This part of the page could not be shown.')).toBeVisible()
    expect(await (await region('Waitlist')).findByText('Approved')).toBeVisible()
    expect(log).toHaveBeenCalled()
  })
})
