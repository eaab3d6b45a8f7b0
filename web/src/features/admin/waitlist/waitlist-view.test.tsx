import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { WaitlistUser } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { anEntry, renderView, rowOf, serveWaitlist } from '../testing'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const EMPTY = 'No waitlist users found. Click "Refresh" to load users.'

const agree = async () => {
  const dialog = await screen.findByRole('alertdialog', { name: 'Remove from the waitlist?' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }))
}

beforeEach(() => visit('/admin'))

describe('the list', () => {
  it('offers actions by status', async () => {
    serveWaitlist(() => [anEntry(1), anEntry(2, 'approved'), anEntry(3, 'rejected')])
    const { container } = renderView(WaitlistView)
    const actions = async (n: number) =>
      (await rowOf(n)).queryAllByRole('button').map((b) => b.textContent)
    expect(await actions(1)).toEqual(['Approve', 'Remove'])
    expect(await actions(2)).toEqual(['Remove'])
    expect(await actions(3)).toEqual([])
    expect(await violations(container)).toEqual([])
  })

  it('is only read by a moderator', async () => {
    serveWaitlist(() => [anEntry(1), anEntry(2, 'approved')])
    const { container } = renderView(WaitlistView, 'moderator')
    expect((await rowOf(1)).getByText('Pending')).toBeVisible()
    expect(screen.getByText('2 entries')).toBeVisible()
    expect(screen.getAllByRole('button').map((b) => b.textContent)).toEqual(['Refresh'])
    expect(screen.queryByRole('checkbox')).toBeNull()
    expect(await violations(container)).toEqual([])
  })

  it('says when it is empty, and refreshes', async () => {
    let entries: WaitlistUser[] = []
    serveWaitlist(() => entries)
    const { container } = renderView(WaitlistView)
    expect(await screen.findByText(EMPTY)).toBeVisible()
    expect(await violations(container)).toEqual([])
    entries = [anEntry(1)]
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('person-1@fledge.test')).toBeVisible()
  })

  it('loads a page at a time', async () => {
    serveWaitlist(() => [1, 2, 3, 4, 5].map((n) => anEntry(n)), 3)
    renderView(WaitlistView)
    expect(await screen.findByText('person-3@fledge.test')).toBeInTheDocument()
    await waitFor(() => expect(screen.queryByText('person-4@fledge.test')).not.toBeInTheDocument())
    await userEvent.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByText('person-5@fledge.test')).toBeInTheDocument()
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument(),
    )
  })

  it.each([
    [() => failure(403, 'Only admins may do this.'), 'Only admins may do this.'],
    [() => new Response('{}', { status: 400 }), 'Failed to fetch waitlist users'],
    [() => new Response('{"data":{}}'), 'Failed to fetch waitlist users'],
  ])('tells in a toast that it could not be loaded (%#)', async (answer, text) => {
    onGet('/api/get-waitlist-users', answer)
    renderView(WaitlistView)
    expect(await screen.findByText(text)).toBeVisible()
    expect(screen.getByText('The waitlist could not be loaded.')).toBeVisible()
    await waitFor(() => expect(screen.queryByText(EMPTY)).not.toBeInTheDocument())
  })
})

describe('an entry', () => {
  it('with a status and a source that are not known is shown as it is, without actions', async () => {
    const entry = { ...anEntry(1), status: 'on_hold', source: 'partner_program' }
    serveWaitlist(() => [entry as never, anEntry(2)])
    renderView(WaitlistView)
    const row = await rowOf(1)
    expect(row.getByText('On hold')).toBeVisible()
    expect(row.getByText('Partner program')).toBeVisible()
    expect(row.queryByRole('button')).toBeNull()
    expect(row.queryByRole('checkbox')).toBeNull()
    expect((await rowOf(2)).getByRole('button', { name: /Approve/ })).toBeVisible()
  })

  it('says which other account uses its invitation', async () => {
    serveWaitlist(() => [
      { ...anEntry(1, 'approved'), claimed_email: 'x7k2@privaterelay.appleid.com' },
      anEntry(2),
    ])
    renderView(WaitlistView)
    expect((await rowOf(1)).getByText('x7k2@privaterelay.appleid.com')).toBeVisible()
    expect((await rowOf(1)).getByText(/^Relay address/)).toBeVisible()
    expect((await rowOf(2)).queryByText(/Used by|^Relay address/)).toBeNull()
  })

  it('says that its invitation has expired, and can be approved again', async () => {
    const expired = { ...anEntry(1), invitation_expired_at: '2025-09-02T10:30:00Z' }
    serveWaitlist(() => [expired, anEntry(2)])
    const { container } = renderView(WaitlistView)
    const row = await rowOf(1)
    expect(row.getByText('Invitation expired Sep 2, 2025')).toBeVisible()
    expect(row.getByRole('button', { name: /^Approve/ })).toBeVisible()
    expect((await rowOf(2)).queryByText(/expired/)).toBeNull()
    expect(await violations(container)).toEqual([])
  })

  it('says when the account may not be used', async () => {
    serveWaitlist(() => [{ ...anEntry(1, 'approved'), user_state: 'deleting' }, anEntry(2)])
    renderView(WaitlistView)
    expect((await rowOf(1)).getByText('Deleting')).toBeVisible()
    expect((await rowOf(2)).queryByText(/^Account/)).toBeNull()
  })

  it('that cannot be shown leaves the others alone', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    serveWaitlist(() => [{ ...anEntry(1), source: null as never }, anEntry(2)])
    renderView(WaitlistView)
    expect(await screen.findByText('This row could not be shown.')).toBeVisible()
    expect((await rowOf(2)).getByText('Pending')).toBeVisible()
  })
})

describe('the filter', () => {
  const entries = [anEntry(1), anEntry(2, 'approved'), anEntry(12, 'approved')]

  it('is read from the address', async () => {
    visit('/admin?status=approved&search=person-1')
    const asked = serveWaitlist(() => entries)
    renderView(WaitlistView)
    expect(await screen.findByText('person-12@fledge.test')).toBeVisible()
    expect(screen.getByLabelText('Status')).toHaveValue('approved')
    expect(screen.getByLabelText('Search the waitlist')).toHaveValue('person-1')
    expect(asked).toEqual(['?status=approved&search=person-1'])
  })

  it('ignores what is not a status', async () => {
    visit('/admin?status=%3Cscript%3E')
    const asked = serveWaitlist(() => entries)
    renderView(WaitlistView)
    expect(await screen.findByText('person-1@fledge.test')).toBeVisible()
    expect(asked).toEqual([''])
  })

  it('narrows the rows at hand at once and asks the server when typing pauses', async () => {
    const asked = serveWaitlist(() => entries)
    renderView(WaitlistView)
    await screen.findByText('person-1@fledge.test')
    await userEvent.type(screen.getByLabelText('Search the waitlist'), 'person-2')
    await waitFor(() => expect(screen.queryByText('person-1@fledge.test')).not.toBeInTheDocument())
    expect(asked).toHaveLength(1)
    await waitFor(() => expect(asked.at(-1)).toBe('?search=person-2'))
    expect(asked).toHaveLength(2)
    expect(window.location.search).toBe('?search=person-2')
    expect(screen.getByText('person-2@fledge.test')).toBeVisible()
  })

  it('shows what the server has found, in whichever way it is spelled', async () => {
    onGet('/api/get-waitlist-users', ({ url }) => ({
      data: url.searchParams.has('search') ? entries.slice(1, 2) : entries,
      nextCursor: null,
      undelivered: 0,
      unconfirmed: 0,
    }))
    renderView(WaitlistView)
    await screen.findByText('person-1@fledge.test')
    await userEvent.click(screen.getByLabelText('Search the waitlist'))
    await userEvent.paste('Ann Person <person-2@fledge.test>')
    await waitFor(() => expect(screen.queryByText('person-1@fledge.test')).not.toBeInTheDocument())
    expect(await screen.findByText('person-2@fledge.test')).toBeVisible()
  })

  it('goes to the server by status, and is cleared from the address', async () => {
    const asked = serveWaitlist(() => entries)
    renderView(WaitlistView)
    await screen.findByText('person-1@fledge.test')
    await userEvent.selectOptions(screen.getByLabelText('Status'), 'rejected')
    expect(await screen.findByText(EMPTY)).toBeVisible()
    expect(asked.at(-1)).toBe('?status=rejected')
    await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
    expect(await screen.findByText('person-1@fledge.test')).toBeVisible()
    expect(window.location.search).toBe('')
  })
})

describe('an action', () => {
  it('approves, tells the message and reloads the list', async () => {
    let status: WaitlistUser['status'] = 'pending'
    serveWaitlist(() => [anEntry(1, status)])
    onPost('/api/approve-waitlist-user', ({ body }) => {
      expect(body).toEqual({ waitlistUserId: anEntry(1).id, action: 'approve' })
      status = 'approved'
      return { message: 'Waitlist user approved successfully' }
    })
    renderView(WaitlistView)
    const row = await rowOf(1)
    await userEvent.click(row.getByRole('button', { name: /Approve/ }))
    expect(await screen.findByText('Waitlist user approved successfully')).toBeVisible()
    expect(await row.findByText('Approved')).toBeVisible()
    await waitFor(() =>
      expect(row.queryByRole('button', { name: /Approve/ })).not.toBeInTheDocument(),
    )
  })

  it('asks for at most the first page again, however many are loaded', async () => {
    let entries = Array.from({ length: 12 }, (_, n) => anEntry(n + 1))
    const asked = serveWaitlist(() => entries, 2)
    const posted = vi.fn()
    onPost('/api/approve-waitlist-user', ({ body }) => {
      posted(body)
      entries = entries.map((entry, at) => (at === 8 ? anEntry(9, 'approved') : entry))
      entries.unshift(anEntry(99))
      return { message: 'Approved' }
    })
    renderView(WaitlistView)
    for (let n = 4; n <= 12; n += 2) {
      await userEvent.click(await screen.findByRole('button', { name: 'Load more' }))
      await rowOf(n)
    }
    expect(asked).toHaveLength(6)
    const row = await rowOf(9)
    await userEvent.click(row.getByRole('button', { name: /Approve/ }))
    expect(await row.findByText('Approved')).toBeVisible()
    // What the first page has anew stands first; what was loaded stays.
    await rowOf(99)
    expect(screen.getAllByRole('row')).toHaveLength(1 + 13)
    await rowOf(12)
    expect(posted).toHaveBeenCalledOnce()
    expect(asked.slice(6)).toEqual([''])
  })

  it('keeps the keyboard on the row', async () => {
    let status: WaitlistUser['status'] = 'pending'
    serveWaitlist(() => [anEntry(1, status)])
    onPost('/api/approve-waitlist-user', ({ body }) => {
      status = (body as { action: string }).action === 'approve' ? 'approved' : 'rejected'
      return { message: `Now ${status}` }
    })
    renderView(WaitlistView)
    const row = await rowOf(1)
    row.getByRole('button', { name: /Approve/ }).focus()
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(row.getByRole('button', { name: /Remove/ })).toHaveFocus())
    expect(await row.findByText('Approved')).toBeVisible()
    await userEvent.keyboard('{Enter}')
    await agree()
    expect(await row.findByText('Rejected')).toBeVisible()
    const element = screen.getByText('person-1@fledge.test').closest('[role=row]')
    await waitFor(() => expect(element).toHaveFocus())
  })

  it.each([
    ['before', 'the question'],
    ['while', 'the question is open'],
  ])('holds also when a list that was asked for %s %s arrives after it', async (when) => {
    let entries = [anEntry(1)]
    let arrive: (() => void) | undefined
    serveWaitlist(() => entries)
    renderView(WaitlistView)
    await rowOf(1)
    const before = { data: entries, nextCursor: null, undelivered: 0, unconfirmed: 0 }
    onGet('/api/get-waitlist-users', async ({ url }) => {
      if (!url.searchParams.has('search') || arrive) return { ...before, data: entries }
      await new Promise<void>((resolve) => (arrive = resolve))
      return before
    })
    onPost('/api/approve-waitlist-user', () => {
      entries = [anEntry(1, 'rejected')]
      return { message: 'Done' }
    })
    await userEvent.type(screen.getByRole('searchbox', { name: 'Search the waitlist' }), 'person-1')
    if (when === 'before') await waitFor(() => expect(arrive).toBeDefined())
    await userEvent.click((await rowOf(1)).getByRole('button', { name: /Remove/ }))
    await waitFor(() => expect(arrive).toBeDefined())
    await agree()
    await screen.findByText('Done')
    arrive?.()
    expect(await (await rowOf(1)).findByText('Rejected')).toBeVisible()
  })

  it('hands the keyboard to the next row when its own leaves the list', async () => {
    visit('/admin?status=pending')
    let entries = [anEntry(1), anEntry(2)]
    serveWaitlist(() => entries)
    onPost('/api/approve-waitlist-user', () => {
      entries = [anEntry(2)]
      return { message: 'Done' }
    })
    renderView(WaitlistView)
    const row = await rowOf(1)
    row.getByRole('button', { name: /Approve/ }).focus()
    await userEvent.keyboard('{Enter}')
    await waitFor(() => expect(screen.queryByText('person-1@fledge.test')).not.toBeInTheDocument())
    await waitFor(() =>
      expect(screen.getByText('person-2@fledge.test').closest('[role=row]')).toHaveFocus(),
    )
  })

  it.each([
    ['pending', 'person-1@fledge.test can return only if you add the address by hand.'],
    ['approved', /^person-1@fledge.test can no longer download the app, and can return only/],
  ] as const)('that takes a %s person off asks first', async (status, text) => {
    serveWaitlist(() => [anEntry(1, status)])
    const decided = vi.fn(() => ({ message: 'Done' }))
    onPost('/api/approve-waitlist-user', decided)
    renderView(WaitlistView)
    const row = await rowOf(1)
    await userEvent.click(row.getByRole('button', { name: /Remove/ }))
    const dialog = await screen.findByRole('alertdialog')
    expect(dialog).toHaveAccessibleDescription(text)
    await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
    await waitFor(() => expect(dialog).not.toBeVisible())
    expect(decided).not.toHaveBeenCalled()
    await userEvent.click(row.getByRole('button', { name: /Remove/ }))
    await agree()
    await waitFor(() => expect(decided).toHaveBeenCalledOnce())
    expect(dialog).not.toBeVisible()
  })

  it('rests while it is in flight, and has words of its own for a silent server', async () => {
    serveWaitlist(() => [anEntry(1)])
    let answer = () => {}
    onPost('/api/approve-waitlist-user', async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return { message: '' }
    })
    renderView(WaitlistView)
    const row = await rowOf(1)
    await userEvent.click(row.getByRole('button', { name: /Remove/ }))
    await agree()
    for (const button of row.getAllByRole('button')) {
      expect(button).toHaveAttribute('aria-disabled', 'true')
    }
    await waitFor(() => {
      answer()
      expect(screen.getByText('Waitlist user removed successfully')).toBeVisible()
    })
  })

  it.each([
    [() => failure(409, 'This entry was removed.'), 'This entry was removed.'],
    [offline, 'Failed to process waitlist user'],
  ])('that fails says so (%#)', async (answer, text) => {
    serveWaitlist(() => [anEntry(1)])
    onPost('/api/approve-waitlist-user', answer)
    renderView(WaitlistView)
    const row = await rowOf(1)
    await userEvent.click(row.getByRole('button', { name: /Approve/ }))
    expect(await screen.findByText(text)).toBeVisible()
    await waitFor(() =>
      expect(row.getByRole('button', { name: /Approve/ })).not.toHaveAttribute('aria-disabled'),
    )
  })

  it('is shown as it is when the answer is lost', async () => {
    let entry = anEntry(1)
    serveWaitlist(() => [entry])
    onPost('/api/approve-waitlist-user', () => {
      entry = anEntry(1, 'approved')
      return offline()
    })
    renderView(WaitlistView)
    const row = await rowOf(1)
    await userEvent.click(row.getByRole('button', { name: /Approve/ }))
    expect(await screen.findByText('Failed to process waitlist user')).toBeVisible()
    expect(await row.findByText('Approved')).toBeVisible()
  })
})

describe('adding by hand', () => {
  const field = () => screen.findByLabelText('Email to add')

  it('needs more than blanks, trims, clears and reloads', async () => {
    const entries: WaitlistUser[] = []
    serveWaitlist(() => entries)
    onPost('/api/add-waitlist-user', ({ body, bearer }) => {
      expect(body).toEqual({ email: 'person-7@fledge.test' })
      expect(bearer).toBe('token-1')
      entries.push({ ...anEntry(7), source: 'admin' })
      return { message: "You're on the waitlist!" }
    })
    renderView(WaitlistView)
    const input = await field()
    const button = screen.getByRole('button', { name: 'Add' })
    await userEvent.type(input, '   ')
    await waitFor(() => expect(button).toBeDisabled())
    await userEvent.type(input, 'person-7@fledge.test ')
    await userEvent.click(button)
    expect(await screen.findByText('User added to waitlist successfully')).toBeVisible()
    expect(input).toHaveValue('')
    expect(await screen.findByText('Added by hand')).toBeVisible()
  })

  it.each([
    ['pending', 'This address is pending.'],
    ['approved', 'This address is approved.'],
  ] as const)('says of an address that is %s that it is listed', async (status, text) => {
    serveWaitlist(() => [anEntry(71), anEntry(7, status)])
    const added = vi.fn(() => ({ message: "You're on the waitlist!" }))
    onPost('/api/add-waitlist-user', added)
    renderView(WaitlistView)
    const input = await field()
    await userEvent.type(input, 'person-7@fledge.test{Enter}')
    expect(await screen.findByText('Already on the waitlist')).toBeVisible()
    expect(screen.getByText(text)).toBeVisible()
    expect(input).toHaveValue('person-7@fledge.test')
    expect(added).not.toHaveBeenCalled()
  })

  it('finds an entry behind a page of longer addresses', async () => {
    const longer = Array.from({ length: 100 }, (_, n) => ({
      ...anEntry(n + 100),
      email: `x${n}-person-7@fledge.test`,
    }))
    const asked = serveWaitlist(() => [...longer, anEntry(7)])
    const added = vi.fn(() => ({ message: "You're on the waitlist!" }))
    onPost('/api/add-waitlist-user', added)
    renderView(WaitlistView)
    await userEvent.type(await field(), 'person-7@fledge.test{Enter}')
    expect(await screen.findByText('Already on the waitlist')).toBeVisible()
    expect(added).not.toHaveBeenCalled()
    const search = 'search=person-7%40fledge.test'
    expect(asked.slice(1)).toEqual([`?${search}`, `?${search}&cursor=100`])
  })

  it('finds an entry in whichever way its domain is spelled', async () => {
    serveWaitlist(() => [{ ...anEntry(7), email: 'jane@xn--bcher-kva.test' }])
    const added = vi.fn(() => ({ message: "You're on the waitlist!" }))
    onPost('/api/add-waitlist-user', added)
    renderView(WaitlistView)
    await userEvent.type(await field(), 'Jane@Bücher.test{Enter}')
    expect(await screen.findByText('Already on the waitlist')).toBeVisible()
    expect(added).not.toHaveBeenCalled()
  })

  it.each([
    ['rejected', () => serveWaitlist(() => [anEntry(7, 'rejected')])],
    ['that cannot be looked up', () => onGet('/api/get-waitlist-users', offline)],
  ])('adds an address that is %s', async (_, serve) => {
    serveWaitlist(() => [])
    onPost('/api/add-waitlist-user', () => ({ message: "You're on the waitlist!" }))
    renderView(WaitlistView)
    const input = await field()
    await screen.findByText(EMPTY)
    serve()
    await userEvent.type(input, 'person-7@fledge.test{Enter}')
    expect(await screen.findByText('User added to waitlist successfully')).toBeVisible()
    expect(input).toHaveFocus()
  })

  it('that fails without an answer shows whom it has added', async () => {
    const entries: WaitlistUser[] = []
    serveWaitlist(() => entries)
    onPost('/api/add-waitlist-user', () => {
      entries.push(anEntry(7))
      return offline()
    })
    renderView(WaitlistView)
    await userEvent.type(await field(), 'person-7@fledge.test{Enter}')
    expect(await screen.findByText('Network error. Please try again.')).toBeVisible()
    await rowOf(7)
  })

  it('shows that it is adding', async () => {
    serveWaitlist(() => [])
    onPost('/api/add-waitlist-user', () => new Promise(() => {}))
    renderView(WaitlistView)
    await userEvent.type(await field(), 'a@b.test{Enter}')
    const button = await screen.findByRole('button', { name: 'Adding...' })
    expect(button).toHaveAttribute('aria-disabled', 'true')
  })

  it.each([
    [
      () => failure(400, 'Please enter a valid email address.'),
      'Please enter a valid email address.',
    ],
    [() => new Response('', { status: 500 }), 'Something went wrong. Please try again.'],
    [offline, 'Network error. Please try again.'],
  ])('that fails says so and keeps the address (%#)', async (answer, text) => {
    serveWaitlist(() => [])
    onPost('/api/add-waitlist-user', answer)
    renderView(WaitlistView)
    const input = await field()
    await userEvent.type(input, 'a@b.test{Enter}')
    expect(await screen.findByText(text)).toBeVisible()
    expect(input).toHaveValue('a@b.test')
  })
})
