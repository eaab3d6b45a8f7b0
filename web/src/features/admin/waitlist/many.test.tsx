import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { WaitlistUser } from '@/lib/api/types'
import type * as waitlistApi from '@/lib/api/waitlist-api'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { anEntry, renderTabs, renderView, serveWaitlist } from '../testing'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

type WaitlistApi = typeof waitlistApi

// Two people fill a call: a table of hundreds takes the tests' document long to look through.
vi.mock('@/lib/api/waitlist-api', async (original) => ({
  ...(await original<WaitlistApi>()),
  BULK_LIMIT: 2,
}))

it('a call approves as many as the API takes', async () => {
  const { BULK_LIMIT } = await vi.importActual<WaitlistApi>('@/lib/api/waitlist-api')
  expect(BULK_LIMIT).toBe(100)
})

let entries: WaitlistUser[]

beforeEach(() => {
  visit('/admin')
  entries = [anEntry(1), anEntry(2), anEntry(3, 'approved')]
  serveWaitlist(() => entries)
})

describe('approving many', () => {
  const approve = async () => {
    await userEvent.click(await screen.findByLabelText('Select all pending entries shown'))
    expect(screen.getByText('2 selected')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Approve selected' }))
    const dialog = within(screen.getByRole('alertdialog', { name: 'Approve 2 people?' }))
    await userEvent.click(dialog.getByRole('button', { name: 'Approve' }))
  }

  it('tells how it went for each person, and keeps those that failed selected', async () => {
    onPost('/api/bulk-approve-waitlist-users', ({ body }) => {
      expect(body).toEqual({ waitlistUserIds: [anEntry(1).id, anEntry(2).id] })
      entries = [anEntry(1, 'approved'), anEntry(2), anEntry(3, 'approved')]
      return {
        results: [
          { waitlistUserId: anEntry(1).id, ok: true },
          { waitlistUserId: anEntry(2).id, ok: false, error: 'This entry was removed.' },
        ],
      }
    })
    const { container } = renderView(WaitlistView)
    await screen.findByText('3 entries')
    await waitFor(() =>
      expect(screen.queryByLabelText('Select person-3@fledge.test')).not.toBeInTheDocument(),
    )
    await approve()
    const result = await screen.findByRole('status', { name: 'Result' })
    expect(result).toHaveTextContent('1 of 2 people approved')
    expect(
      within(result)
        .getAllByRole('listitem')
        .map((line) => line.textContent),
    ).toEqual(['person-2@fledge.test This entry was removed.'])
    expect(await screen.findByText('1 selected')).toBeVisible()
    expect(screen.getByLabelText('Select person-2@fledge.test')).toBeChecked()
    expect(await violations(container)).toEqual([])
  })

  describe('in several calls', () => {
    /** Serves five people, and answers a call when it is told to. */
    function serveMany() {
      entries = [1, 2, 3, 4, 5].map((n) => anEntry(n))
      const asked = serveWaitlist(() => entries)
      const calls: string[][] = []
      let answer = () => {}
      onPost('/api/bulk-approve-waitlist-users', async ({ body }) => {
        const { waitlistUserIds } = body as { waitlistUserIds: string[] }
        calls.push(waitlistUserIds)
        await new Promise<void>((resolve) => (answer = resolve))
        const done = new Set(waitlistUserIds)
        entries = entries.map((e) => (done.has(e.id) ? { ...e, status: 'approved' } : e))
        return { results: waitlistUserIds.map((id) => ({ waitlistUserId: id, ok: true })) }
      })
      const answered = async (text: string) => {
        answer()
        expect(await screen.findByText(text)).toBeVisible()
      }
      return { asked, calls, answered, answer: () => answer() }
    }

    const start = async () => {
      await userEvent.click(await screen.findByLabelText('Select all pending entries shown'))
      await userEvent.click(screen.getByRole('button', { name: 'Approve selected' }))
      const dialog = within(screen.getByRole('alertdialog', { name: 'Approve 5 people?' }))
      await userEvent.click(dialog.getByRole('button', { name: 'Approve' }))
    }
    const mayLeave = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

    it('shows how far it is, asks before the page is left, and tells no more than the count', async () => {
      const { calls, answered } = serveMany()
      renderView(WaitlistView)
      await start()
      expect(await screen.findByText('Approving 2 of 5')).toBeVisible()
      expect(mayLeave()).toBe(false)
      await answered('Approving 4 of 5')
      await answered('Approving 5 of 5')
      await answered('5 of 5 people approved')
      const result = screen.getByRole('status', { name: 'Result' })
      expect(within(result).queryByRole('listitem')).toBeNull()
      expect(calls.map((ids) => ids.length)).toEqual([2, 2, 1])
      expect(mayLeave()).toBe(true)
      // The buttons have gone with the selection.
      expect(screen.getByText('5 entries').parentElement).toHaveFocus()
    })

    it('can be stopped in between', async () => {
      const { calls, answered } = serveMany()
      renderView(WaitlistView)
      await start()
      await screen.findByText('Approving 2 of 5')
      await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
      expect(screen.getByRole('button', { name: 'Stopping...' })).toHaveFocus()
      await answered('2 of 5 people approved')
      expect(screen.getByText('3 not sent, and still selected.')).toBeVisible()
      expect(screen.getByText('3 selected')).toBeVisible()
      expect(calls).toHaveLength(1)
      expect(mayLeave()).toBe(true)
    })

    it.each(['person-1', 'nobody'])('can be stopped after a search for %s, too', async (text) => {
      const { asked, calls, answered } = serveMany()
      renderView(WaitlistView)
      await start()
      await screen.findByText('Approving 2 of 5')
      await userEvent.type(screen.getByRole('searchbox'), text)
      await waitFor(() => expect(asked.at(-1)).toContain(`search=${text}`))
      await waitFor(() =>
        expect(screen.queryByText(/^person-2@/, { selector: '[role=row] *' })).toBeNull(),
      )
      await waitFor(() =>
        expect(screen.getByRole('button', { name: 'Refresh' })).not.toHaveAttribute(
          'aria-disabled',
        ),
      )
      expect(screen.getByText('Approving 2 of 5')).toBeVisible()
      await userEvent.click(screen.getByRole('button', { name: 'Stop' }))
      await answered('2 of 5 people approved')
      expect(calls).toHaveLength(1)
      expect(screen.queryByRole('button', { name: /^Stop/ })).not.toBeInTheDocument()
    })

    it('goes on in another tab of the dashboard, and tells its end there', async () => {
      const { answer } = serveMany()
      const leave = renderTabs(WaitlistView)
      await start()
      await screen.findByText('Approving 2 of 5')
      await leave()
      await waitFor(() => {
        answer()
        expect(screen.getByText('5 of 5 people approved')).toBeVisible()
      })
    })
  })

  it('that fails as a whole says so and keeps the selection', async () => {
    onPost('/api/bulk-approve-waitlist-users', offline)
    renderView(WaitlistView)
    await approve()
    expect(await screen.findByText('Failed to approve waitlist users')).toBeVisible()
    expect(screen.getByText('2 selected')).toBeVisible()
  })
})

it('exports what the filter in the address lets through', async () => {
  visit('/admin?status=pending&search=person')
  const asked: string[] = []
  onGet('/api/export-waitlist-users', ({ url }) => {
    asked.push(url.search)
    return failure(403, 'Only admins may do this.')
  })
  renderView(WaitlistView)
  await userEvent.click(await screen.findByRole('button', { name: 'Export CSV' }))
  expect(await screen.findByText('Only admins may do this.')).toBeVisible()
  await waitFor(() => expect(asked).toEqual(['?status=pending&search=person']))
})
