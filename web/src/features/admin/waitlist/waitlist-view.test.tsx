import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { WaitlistUser, WaitlistUserPage } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { aSession } from '@/testing/session'
import { useAuth } from '@/features/session/use-auth'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const EMPTY = 'No waitlist users found. Click "Refresh" to load users.'

function anEntry(n: number, status: WaitlistUser['status'] = 'pending'): WaitlistUser {
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    email: `person-${n}@fledge.test`,
    status,
    source: 'hero_section',
    created_at: '2025-08-27T12:00:00Z',
  }
}

/** Serves `entries` as the API does: filtered, a page at a time; returns the queries asked. */
function serve(entries: () => WaitlistUser[], pageSize = 100): string[] {
  const asked: string[] = []
  onGet('/api/get-waitlist-users', ({ url }): WaitlistUserPage => {
    asked.push(url.search)
    const status = url.searchParams.get('status')
    const search = url.searchParams.get('search') ?? ''
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const found = entries().filter(
      (e) => (!status || e.status === status) && e.email.includes(search),
    )
    const nextCursor = found.length > from + pageSize ? String(from + pageSize) : null
    return { data: found.slice(from, from + pageSize), nextCursor }
  })
  return asked
}

/** The dashboard shows the view only to a person who is known to be an admin. */
function Admin() {
  return useAuth().status === 'signed-in' ? <WaitlistView /> : null
}

const renderView = () => renderApp(<Admin />, { session: aSession() })
const rowOf = async (email: string) => {
  const row = (await screen.findByText(email)).closest('[role=row]')
  return within(row as HTMLElement)
}

const agree = async () => {
  const dialog = await screen.findByRole('alertdialog', { name: 'Remove from the waitlist?' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }))
}

beforeEach(() => visit('/admin'))

describe('the list', () => {
  it('offers actions by status', async () => {
    serve(() => [anEntry(1), anEntry(2, 'approved'), anEntry(3, 'rejected')])
    const { container } = renderView()
    const actions = async (n: number) =>
      (await rowOf(`person-${n}@fledge.test`)).queryAllByRole('button').map((b) => b.textContent)
    expect(await actions(1)).toEqual(['Approve', 'Remove'])
    expect(await actions(2)).toEqual(['Remove'])
    expect(await actions(3)).toEqual([])
    expect(await violations(container)).toEqual([])
  })

  it('says when it is empty, and refreshes', async () => {
    let entries: WaitlistUser[] = []
    serve(() => entries)
    const { container } = renderView()
    expect(await screen.findByText(EMPTY)).toBeVisible()
    expect(await violations(container)).toEqual([])
    entries = [anEntry(1)]
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('person-1@fledge.test')).toBeVisible()
  })

  it('loads a page at a time', async () => {
    serve(() => [1, 2, 3, 4, 5].map((n) => anEntry(n)), 3)
    renderView()
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
  ])('tells in a toast that it could not be loaded (%#)', async (answer, text) => {
    onGet('/api/get-waitlist-users', answer)
    renderView()
    expect(await screen.findByText(text)).toBeVisible()
    expect(screen.getByText('The waitlist could not be loaded.')).toBeVisible()
    await waitFor(() => expect(screen.queryByText(EMPTY)).not.toBeInTheDocument())
  })
})

describe('the filter', () => {
  const entries = [anEntry(1), anEntry(2, 'approved'), anEntry(12, 'approved')]

  it('is read from the address', async () => {
    visit('/admin?status=approved&search=person-1')
    const asked = serve(() => entries)
    renderView()
    expect(await screen.findByText('person-12@fledge.test')).toBeVisible()
    expect(screen.getByLabelText('Status')).toHaveValue('approved')
    expect(screen.getByLabelText('Search the waitlist')).toHaveValue('person-1')
    expect(asked).toEqual(['?status=approved&search=person-1'])
  })

  it('ignores what is not a status', async () => {
    visit('/admin?status=%3Cscript%3E')
    const asked = serve(() => entries)
    renderView()
    expect(await screen.findByText('person-1@fledge.test')).toBeVisible()
    expect(asked).toEqual([''])
  })

  it('narrows the rows at hand at once and asks the server when typing pauses', async () => {
    const asked = serve(() => entries)
    renderView()
    await screen.findByText('person-1@fledge.test')
    await userEvent.type(screen.getByLabelText('Search the waitlist'), 'person-2')
    await waitFor(() => expect(screen.queryByText('person-1@fledge.test')).not.toBeInTheDocument())
    expect(asked).toHaveLength(1)
    await waitFor(() => expect(asked.at(-1)).toBe('?search=person-2'))
    expect(asked).toHaveLength(2)
    expect(window.location.search).toBe('?search=person-2')
    expect(screen.getByText('person-2@fledge.test')).toBeVisible()
  })

  it('goes to the server by status, and is cleared from the address', async () => {
    const asked = serve(() => entries)
    renderView()
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
    serve(() => [anEntry(1, status)])
    onPost('/api/approve-waitlist-user', ({ body }) => {
      expect(body).toEqual({ waitlistUserId: anEntry(1).id, action: 'approve' })
      status = 'approved'
      return { message: 'Waitlist user approved successfully' }
    })
    renderView()
    const row = await rowOf('person-1@fledge.test')
    await userEvent.click(row.getByRole('button', { name: /Approve/ }))
    expect(await screen.findByText('Waitlist user approved successfully')).toBeVisible()
    expect(await row.findByText('Approved')).toBeVisible()
    await waitFor(() =>
      expect(row.queryByRole('button', { name: /Approve/ })).not.toBeInTheDocument(),
    )
  })

  it('keeps the keyboard on the row', async () => {
    let status: WaitlistUser['status'] = 'pending'
    serve(() => [anEntry(1, status)])
    onPost('/api/approve-waitlist-user', ({ body }) => {
      status = (body as { action: string }).action === 'approve' ? 'approved' : 'rejected'
      return { message: `Now ${status}` }
    })
    renderView()
    const row = await rowOf('person-1@fledge.test')
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

  it('hands the keyboard to the next row when its own leaves the list', async () => {
    visit('/admin?status=pending')
    let entries = [anEntry(1), anEntry(2)]
    serve(() => entries)
    onPost('/api/approve-waitlist-user', () => {
      entries = [anEntry(2)]
      return { message: 'Done' }
    })
    renderView()
    const row = await rowOf('person-1@fledge.test')
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
    serve(() => [anEntry(1, status)])
    const decided = vi.fn(() => ({ message: 'Done' }))
    onPost('/api/approve-waitlist-user', decided)
    renderView()
    const row = await rowOf('person-1@fledge.test')
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
    serve(() => [anEntry(1)])
    let answer = () => {}
    onPost('/api/approve-waitlist-user', async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return { message: '' }
    })
    renderView()
    const row = await rowOf('person-1@fledge.test')
    await userEvent.click(row.getByRole('button', { name: /Remove/ }))
    await agree()
    for (const button of row.getAllByRole('button')) expect(button).toBeDisabled()
    await waitFor(() => {
      answer()
      expect(screen.getByText('Waitlist user removed successfully')).toBeVisible()
    })
  })

  it.each([
    [() => failure(409, 'This entry was removed.'), 'This entry was removed.'],
    [offline, 'Failed to process waitlist user'],
  ])('that fails says so (%#)', async (answer, text) => {
    serve(() => [anEntry(1)])
    onPost('/api/approve-waitlist-user', answer)
    renderView()
    const row = await rowOf('person-1@fledge.test')
    await userEvent.click(row.getByRole('button', { name: /Approve/ }))
    expect(await screen.findByText(text)).toBeVisible()
    await waitFor(() => expect(row.getByRole('button', { name: /Approve/ })).toBeEnabled())
  })
})

describe('adding by hand', () => {
  const field = () => screen.findByLabelText('Email to add')

  it('needs more than blanks, trims, clears and reloads', async () => {
    const entries: WaitlistUser[] = []
    serve(() => entries)
    onPost('/api/add-waitlist-user', ({ body, bearer }) => {
      expect(body).toEqual({ email: 'person-7@fledge.test' })
      expect(bearer).toBe('token-1')
      entries.push({ ...anEntry(7), source: 'admin' })
      return { message: "You're on the waitlist!" }
    })
    renderView()
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

  it('shows that it is adding', async () => {
    serve(() => [])
    onPost('/api/add-waitlist-user', () => new Promise(() => {}))
    renderView()
    await userEvent.type(await field(), 'a@b.test{Enter}')
    await waitFor(() => expect(screen.getByRole('button', { name: 'Adding...' })).toBeDisabled())
  })

  it.each([
    [
      () => failure(400, 'Please enter a valid email address.'),
      'Please enter a valid email address.',
    ],
    [() => new Response('', { status: 500 }), 'Something went wrong. Please try again.'],
    [offline, 'Network error. Please try again.'],
  ])('that fails says so and keeps the address (%#)', async (answer, text) => {
    serve(() => [])
    onPost('/api/add-waitlist-user', answer)
    renderView()
    const input = await field()
    await userEvent.type(input, 'a@b.test{Enter}')
    expect(await screen.findByText(text)).toBeVisible()
    expect(input).toHaveValue('a@b.test')
  })
})
