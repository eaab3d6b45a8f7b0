import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { WaitlistUser } from '@/lib/api/types'
import { formatDay } from '@/lib/dates'
import { noteServerTime } from '@/lib/server-time'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { onGet, onPost } from '@/testing/server'
import { anEntry, renderView, rowOf, serveWaitlist } from '../testing'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))
vi.mock('@/lib/dates', { spy: true })

const inSeconds = (n: number) => new Date(Date.now() + n * 1000).toISOString()

let entries: WaitlistUser[]

beforeEach(() => {
  visit('/admin')
  vi.useFakeTimers({ shouldAdvanceTime: true })
  entries = [
    { ...anEntry(1, 'approved'), mail: 'waiting', undo_until: inSeconds(60) },
    { ...anEntry(2, 'approved'), mail: 'waiting' },
  ]
})

afterEach(() => {
  vi.useRealTimers()
  noteServerTime(new Date().toUTCString())
})

describe('an approval', () => {
  it('is undone while its email waits', async () => {
    serveWaitlist(() => entries)
    const sent: unknown[] = []
    onPost('/api/approve-waitlist-user', ({ body }) => {
      sent.push(body)
      entries[0] = anEntry(1)
      return { message: 'The approval is undone; its email is not sent' }
    })
    const { container } = renderView(WaitlistView)
    expect((await rowOf(1)).getByText(/^The email leaves in (60|5\d) s$/)).toBeVisible()
    expect((await rowOf(2)).queryByRole('button', { name: /^Undo/ })).not.toBeInTheDocument()
    expect(await violations(container)).toEqual([])

    await userEvent.click((await rowOf(1)).getByRole('button', { name: /^Undo/ }))
    expect(await screen.findByText('The approval is undone; its email is not sent')).toBeVisible()
    expect(sent).toEqual([{ waitlistUserId: entries[0]!.id, action: 'undo' }])
    const row = await rowOf(1)
    expect(row.getByText('Pending')).toBeVisible()
    expect(row.getByRole('button', { name: /^Approve/ })).toBeVisible()
    expect(row.queryByText(/The email leaves/)).not.toBeInTheDocument()
  })

  it('is undone of somebody who has left since, who is off the list then', async () => {
    entries[1] = { ...anEntry(2, 'approved'), left: true, undo_until: inSeconds(60) }
    serveWaitlist(() => entries, 1)
    onPost('/api/approve-waitlist-user', () => ({ message: 'Undone' }))
    renderView(WaitlistView)
    await rowOf(1)
    await userEvent.click(await screen.findByRole('button', { name: 'Load more' }))
    const row = await rowOf(2)
    expect(row.queryByText(/The email leaves/)).not.toBeInTheDocument()
    await userEvent.click(row.getByRole('button', { name: /^Undo/ }))
    expect(await row.findByText('Rejected')).toBeVisible()
  })

  it('cannot be undone any more when the time is over', async () => {
    serveWaitlist(() => entries)
    renderView(WaitlistView)
    const row = await rowOf(1)
    await row.findByRole('button', { name: /^Undo/ })
    act(() => vi.advanceTimersByTime(61_000))
    expect(row.queryByRole('button', { name: /^Undo/ })).not.toBeInTheDocument()
    expect(row.queryByText(/The email leaves/)).not.toBeInTheDocument()
    expect(row.getByRole('button', { name: /^Remove/ })).toBeVisible()
  })

  it('is undone in time also where the clock of the machine is a day off', async () => {
    const soon = inSeconds(60)
    entries[0] = { ...anEntry(1, 'approved'), mail: 'waiting', undo_until: soon }
    vi.setSystemTime(Date.now() + 24 * 3_600_000)
    const page = { data: entries, nextCursor: null, undelivered: 0, unconfirmed: 0 }
    onGet('/api/get-waitlist-users', () =>
      HttpResponse.json(page, {
        headers: { Date: new Date(Date.parse(soon) - 60_000).toUTCString() },
      }),
    )
    renderView(WaitlistView)
    const row = await rowOf(1)
    expect(await row.findByRole('button', { name: /^Undo/ })).toBeVisible()
    expect(row.getByText(/^The email leaves in (6[01]|5\d) s$/)).toBeVisible()
  })

  it('renders no row for a second that passes, and has one timer for all', async () => {
    entries = Array.from({ length: 50 }, (_, n) => ({
      ...anEntry(n, 'approved'),
      undo_until: inSeconds(60),
    }))
    serveWaitlist(() => entries)
    const { unmount } = renderView(WaitlistView)
    const row = await rowOf(1)
    const timers = vi.getTimerCount()
    const rendered = vi.mocked(formatDay).mock.calls.length
    const shown = row.getByText(/^The email leaves/).textContent
    act(() => vi.advanceTimersByTime(5000))
    expect(row.getByText(/^The email leaves/)).not.toHaveTextContent(shown!)
    expect(vi.mocked(formatDay)).toHaveBeenCalledTimes(rendered)
    unmount()
    expect(timers - vi.getTimerCount()).toBeLessThan(entries.length)
  })

  it('can be undone at once on a row behind the first page, alone and among others', async () => {
    entries = [1, 2, 3, 4].map((n) => anEntry(n))
    entries[3] = { ...anEntry(4), invitation_expired_at: '2026-11-01T09:00:00Z' }
    serveWaitlist(() => entries, 1)
    const undo_until = inSeconds(60)
    onPost('/api/approve-waitlist-user', ({ body }) =>
      (body as { action: string }).action === 'undo'
        ? { message: 'Undone', invitation_expired_at: '2026-11-01T09:00:00Z' }
        : { message: 'Approved', undo_until },
    )
    onPost('/api/bulk-approve-waitlist-users', ({ body }) => ({
      results: (body as { waitlistUserIds: string[] }).waitlistUserIds.map((waitlistUserId) => ({
        waitlistUserId,
        ok: true,
        undo_until,
      })),
    }))
    renderView(WaitlistView)
    for (const n of [2, 3, 4]) {
      await rowOf(n - 1)
      await userEvent.click(await screen.findByRole('button', { name: 'Load more' }))
      await rowOf(n)
    }
    const expired = await rowOf(4)
    expect(expired.getByText(/^Invitation expired/)).toBeVisible()
    await userEvent.click(expired.getByRole('button', { name: /^Approve/ }))
    await userEvent.click(await expired.findByRole('button', { name: /^Undo/ }))
    expect(await expired.findByText('Pending')).toBeVisible()
    expect(expired.getByText(/^Invitation expired/)).toBeVisible()

    for (const n of [2, 3]) await userEvent.click((await rowOf(n)).getByRole('checkbox'))
    await userEvent.click(screen.getByRole('button', { name: 'Approve selected' }))
    await userEvent.click(await screen.findByRole('button', { name: 'Approve' }))
    for (const n of [2, 3]) {
      expect(await (await rowOf(n)).findByRole('button', { name: /^Undo/ })).toBeVisible()
    }
  })
})
