import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, offline, onGet } from '@/testing/server'
import { aUser, emailOf, renderView, rowOf, serveUsers } from '../testing'
import { UsersView } from './users-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const NONE = 'No users found. Click "Refresh" to load users.'
const NO_MATCH = 'No users match your current filters.'

beforeEach(() => visit('/admin?tab=users'))

describe('the list of accounts', () => {
  it('says who holds which role, joined when and was here last', async () => {
    serveUsers(() => [aUser(1, ['user', 'admin']), aUser(2, ['moderator', 'user']), aUser(3)])
    const { container } = renderView(UsersView)
    const badges = async (n: number) =>
      (await rowOf(n)).getAllByText(/^(Admin|Moderator|User)$/).map((badge) => badge.textContent)
    expect(await badges(1)).toEqual(['Admin', 'User'])
    expect(await badges(2)).toEqual(['Moderator', 'User'])
    expect(await badges(3)).toEqual(['User'])
    const row = await rowOf(3)
    expect(row.getByText('Aug 27, 2025')).toBeVisible()
    expect(row.getByText(/^Sep 30, 2025/)).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('is only read by a moderator', async () => {
    serveUsers(() => [aUser(1, ['user', 'admin'])])
    const { container } = renderView(UsersView, 'moderator')
    expect((await rowOf(1)).getByText('Admin')).toBeVisible()
    expect(screen.queryByRole('button', { name: /roles/ })).toBeNull()
    expect((await rowOf(1)).getByRole('link')).toHaveAccessibleName('person-1@fledge.test')
    expect(screen.getAllByRole('columnheader').map((head) => head.textContent)).toEqual([
      'Email',
      'Roles',
      'Joined',
      'Last sign-in',
    ])
    expect(await violations(container)).toEqual([])
  })

  it('says when there is nobody, and refreshes', async () => {
    let users = [aUser(1)].slice(1)
    serveUsers(() => users)
    const { container } = renderView(UsersView)
    expect(await screen.findByText(NONE)).toBeVisible()
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Clear filters' })).not.toBeInTheDocument(),
    )
    expect(await violations(container)).toEqual([])
    users = [aUser(1)]
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await rowOf(1)).toBeTruthy()
  })

  it('loads a page at a time', async () => {
    serveUsers(() => [1, 2, 3, 4, 5].map((n) => aUser(n)), 3)
    renderView(UsersView)
    await rowOf(3)
    await waitFor(() => expect(screen.queryByText(emailOf(4))).not.toBeInTheDocument())
    screen.getByRole('button', { name: 'Load more' }).focus()
    await userEvent.keyboard('{Enter}')
    await rowOf(5)
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument(),
    )
    await waitFor(() => expect(screen.getByRole('table', { name: 'All Users' })).toHaveFocus())
  })

  describe('after a sign-in, whose roles were being changed', () => {
    const choose = async (n: number) => {
      serveUsers(() => [1, 2, 3, 4, 5].map((m) => aUser(m)), 3)
      const { unmount } = renderView(UsersView)
      await rowOf(3)
      await userEvent.click(screen.getByRole('button', { name: 'Load more' }))
      const row = await rowOf(n)
      await userEvent.click(row.getByRole('button', { name: `Change roles of ${emailOf(n)}` }))
      await screen.findByRole('dialog', { name: 'Change roles' })
      unmount()
    }

    it('is still asked, although the list has yet to load them', async () => {
      await choose(5)
      onGet('/api/get-person', () => aUser(5))
      renderView(UsersView)
      const dialog = await screen.findByRole('dialog', { name: 'Change roles' })
      expect(dialog).toHaveAccessibleDescription(emailOf(5))
      await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }))
      await waitFor(() => expect(dialog).not.toBeInTheDocument())
    })

    it('is kept while the server does not say who it is, and asked for again', async () => {
      await choose(5)
      onGet('/api/get-person', () => failure(403, 'Not now.'))
      renderView(UsersView)
      expect(await screen.findByRole('alert')).toHaveTextContent('Not now.')
      onGet('/api/get-person', () => aUser(5))
      await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
      const dialog = await screen.findByRole('dialog', { name: 'Change roles' })
      expect(dialog).toHaveAccessibleDescription(emailOf(5))
    })

    it('is forgotten once they are gone', async () => {
      await choose(5)
      let asked = 0
      onGet('/api/get-person', () => {
        asked++
        return failure(404, 'There is nobody.')
      })
      const { unmount } = renderView(UsersView)
      await waitFor(() => expect(asked).toBe(1))
      await waitFor(() => expect(Object.keys({ ...sessionStorage })).toEqual([]))
      unmount()
    })
  })

  it.each([
    [() => failure(403, 'Only admins may do this.'), 'Only admins may do this.'],
    [() => new Response('{}', { status: 400 }), 'Failed to fetch users'],
    [() => failure(401, 'No active session'), 'No active session'],
    [() => new Response('{"data":[null]}'), 'Failed to fetch users'],
  ])('tells in a toast that it could not be loaded (%#)', async (answer, text) => {
    onGet('/api/get-users-with-roles', answer)
    renderView(UsersView)
    expect(await screen.findByText(text)).toBeVisible()
    expect(screen.getByText('The users could not be loaded.')).toBeVisible()
    await waitFor(() => expect(screen.queryByText(NONE)).not.toBeInTheDocument())
  })

  it('tells so as well when there is no answer, after it has tried again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
    try {
      let asked = 0
      const still: boolean[] = []
      onGet('/api/get-users-with-roles', () => {
        asked += 1
        return offline()
      })
      renderView(UsersView)
      const failed = () => screen.queryByText('Failed to load users')
      for (let second = 0; second < 60 && !failed(); second += 1) {
        await act(() => vi.advanceTimersByTimeAsync(1000))
        // The answers come in their own time.
        await act(() => new Promise((resolve) => setImmediate(resolve)))
        if (asked === 3) still.push(screen.queryByText('Still trying…') !== null)
      }
      expect(failed()).toBeVisible()
      expect(asked).toBe(4)
      expect(still).toContain(true)
      expect(screen.queryByText('Still trying…')).toBeNull()
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the filter', () => {
  const users = [aUser(1), aUser(2, ['admin', 'user']), aUser(12, ['moderator', 'user'])]
  const search = () => screen.getByLabelText('Search users')

  it('is read from the address', async () => {
    visit('/admin?tab=users&role=moderator&search=person-1')
    const asked = serveUsers(() => users)
    renderView(UsersView)
    await rowOf(12)
    expect(screen.getByLabelText('Role')).toHaveValue('moderator')
    expect(search()).toHaveValue('person-1')
    expect(asked).toEqual(['?role=moderator&search=person-1'])
  })

  it('narrows the rows at hand at once, whatever the case, and the server when typing pauses', async () => {
    const asked = serveUsers(() => users)
    renderView(UsersView)
    await rowOf(1)
    await userEvent.type(search(), 'PERSON-2')
    await waitFor(() => expect(screen.queryByText(emailOf(1))).not.toBeInTheDocument())
    expect(asked).toHaveLength(1)
    await waitFor(() => expect(asked.at(-1)).toBe('?search=PERSON-2'))
    expect(asked).toHaveLength(2)
    expect(window.location.search).toBe('?tab=users&search=PERSON-2')
    await rowOf(2)
  })

  it('narrows by role at once', async () => {
    let answer = () => {}
    serveUsers(() => users)
    renderView(UsersView)
    await rowOf(1)
    onGet('/api/get-users-with-roles', async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      return { data: [aUser(2, ['admin', 'user'])], nextCursor: null }
    })
    await userEvent.selectOptions(screen.getByLabelText('Role'), 'Admin')
    await waitFor(() => expect(screen.queryByText(emailOf(1))).not.toBeInTheDocument())
    await rowOf(2)
    answer()
    expect(window.location.search).toBe('?tab=users&role=admin')
  })

  it('that nobody matches says so once the server has said so, and is cleared', async () => {
    serveUsers(() => users)
    const { container } = renderView(UsersView)
    await rowOf(1)
    await userEvent.type(search(), 'nobody')
    await waitFor(() => expect(screen.queryByText(NO_MATCH)).not.toBeInTheDocument())
    expect(await screen.findByText(NO_MATCH)).toBeVisible()
    expect(await violations(container)).toEqual([])
    await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }))
    await rowOf(1)
    expect(search()).toHaveValue('')
    expect(window.location.search).toBe('?tab=users')
  })
})
