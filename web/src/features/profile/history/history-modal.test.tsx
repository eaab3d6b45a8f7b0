import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { useAuth } from '@/features/session/use-auth'
import { saveFile } from '@/lib/api/download'
import type { CreditEntry, CreditHistory } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { onBilling } from '@/testing/billing'
import { renderApp } from '@/testing/render'
import { failure, onGet, unanswered } from '@/testing/server'
import { aSession } from '@/testing/session'
import { HistoryModal } from './history-modal'

vi.mock(import('@/lib/api/download'), async (load) => ({ ...(await load()), saveFile: vi.fn() }))

/** As on the profile: only whoever is signed in sees it. */
function SignedIn() {
  return useAuth().user && <HistoryModal onClose={() => {}} />
}

const open = () => renderApp(<SignedIn />, { session: aSession() })

function anEntry(overrides: Partial<CreditEntry> = {}): CreditEntry {
  return {
    id: '1',
    time: '2026-11-20T12:00:00Z',
    kind: 'consume',
    amount: -1.2,
    balance_after: 48.8,
    description: 'Generated screen',
    ...overrides,
  }
}

/** Thirty days up to November 21, with what was spent on some. */
function days(spent: Record<string, number> = {}): CreditHistory['days'] {
  return Array.from({ length: 30 }, (_, index) => {
    const day = new Date(Date.UTC(2026, 9, 23 + index)).toISOString().slice(0, 10)
    return { day, amount: spent[day] ?? 0 }
  })
}

const rows = async () =>
  within(await screen.findByRole('list', { name: 'Entries' }))
    .queryAllByRole('listitem')
    .map((row) => row.textContent)

beforeEach(() => {
  onBilling()
})

describe('the credit history', () => {
  it('is on its way', async () => {
    onGet('/api/get-credit-history', unanswered)
    const { container } = open()
    const waiting = await screen.findByText('Loading your credit history...')
    expect(waiting).toHaveAttribute('role', 'status')
    expect(await violations(container)).toEqual([])
  })

  it('lists what came and went', async () => {
    const data = [
      anEntry({ id: '3', kind: 'expire', amount: -48.8, balance_after: 0, description: '' }),
      anEntry({ id: '2' }),
      anEntry({
        id: '1',
        kind: 'grant',
        amount: 1050,
        balance_after: 1050,
        description: 'Pro plan',
        paid: { amount: 25, currency: 'usd' },
      }),
    ]
    onBilling({ history: { data, nextCursor: null, days: days({ '2026-11-20': 1.2 }) } })
    const { container } = open()
    const moment = String.raw`Nov \d+, 2026 \d\d:\d\d`
    expect(await rows()).toEqual([
      expect.stringMatching(new RegExp(`^Expired${moment}−48\\.800\\.00 left$`)),
      expect.stringMatching(new RegExp(`^Generated screenSpent · ${moment}−1\\.2048\\.80 left$`)),
      expect.stringMatching(
        new RegExp(`^Pro planReceived · ${moment} · \\$25\\.00 paid\\+1,050\\.001,050\\.00 left$`),
      ),
    ])
    expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument()
    expect(await violations(container)).toEqual([])
  })

  it('is saved as a file', async () => {
    onGet('/api/export-credit-history', () => new Response('number,time\r\n'))
    onBilling({ history: { data: [anEntry()], nextCursor: null, days: days() } })
    open()
    await userEvent.click(await screen.findByRole('button', { name: 'Export CSV' }))
    await waitFor(() => expect(saveFile).toHaveBeenCalledOnce())
  })

  it('draws the month, and says the same in words and in a table', async () => {
    const spent = { '2026-10-23': 2, '2026-11-03': 12.5, '2026-11-21': 0.5 }
    onBilling({ history: { data: [anEntry()], nextCursor: null, days: days(spent) } })
    const { container } = open()
    expect(
      await screen.findByRole('heading', { name: '15.00 credits spent in 30 days' }),
    ).toBeVisible()
    expect(
      screen.getByRole('img', {
        name: '15.00 credits spent in 30 days, most on Nov 3: 12.50',
      }),
    ).toBeVisible()
    for (const label of ['12.50 on Nov 3', 'Oct 23', 'Nov 21']) {
      expect(screen.getAllByText(label)[0]).toBeVisible()
    }
    const heights = [...container.querySelectorAll('rect')].map((bar) =>
      Number(bar.getAttribute('height')),
    )
    expect(heights).toEqual([16, 100, 4])
    await userEvent.click(screen.getByText('Show as a table'))
    const table = await screen.findByRole('table', { name: 'Credits spent by day' })
    expect([...table.querySelectorAll('tbody tr')].map((row) => row.textContent)).toEqual([
      'Oct 232.00',
      'Nov 312.50',
      'Nov 210.50',
    ])
  })

  it('has nothing to draw or list for an account without credits', async () => {
    onBilling({ history: { data: [], nextCursor: null, days: days() } })
    const { container } = open()
    expect(
      await screen.findByText('Nothing yet. Credits you receive and spend appear here.'),
    ).toBeVisible()
    expect(screen.getByRole('heading', { name: '0.00 credits spent in 30 days' })).toBeVisible()
    expect(screen.queryByRole('button', { name: 'Export CSV' })).not.toBeInTheDocument()
    await waitFor(() => expect(screen.queryByRole('img')).not.toBeInTheDocument())
    expect(await violations(container)).toEqual([])
  })

  it('goes on from where the page ended', async () => {
    const cursors: (string | null)[] = []
    onGet('/api/get-credit-history', ({ url }) => {
      const cursor = url.searchParams.get('cursor')
      cursors.push(cursor)
      expect(url.searchParams.get('limit')).toBe('25')
      return cursor
        ? { data: [anEntry({ id: '1', description: 'Older' })], nextCursor: null, days: days() }
        : { data: [anEntry({ id: '2', description: 'Newer' })], nextCursor: 'c1', days: days() }
    })
    open()
    await userEvent.click(await screen.findByRole('button', { name: 'Load more' }))
    await waitFor(async () => expect(await rows()).toHaveLength(2))
    expect((await rows()).map((row) => row?.slice(0, 5))).toEqual(['Newer', 'Older'])
    expect(cursors).toEqual([null, 'c1'])
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument(),
    )
  })

  it('could not be loaded, and is asked for again', async () => {
    onGet('/api/get-credit-history', () => failure(403, ''))
    open()
    expect(await screen.findByRole('alert')).toHaveTextContent(
      'Your credit history could not be loaded.',
    )
    onBilling({ history: { data: [anEntry()], nextCursor: null, days: days() } })
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await rows()).toHaveLength(1)
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
  })

  it('keeps what it has when the next page fails, and goes on when it does not', async () => {
    let fail = true
    onGet('/api/get-credit-history', ({ url }) => {
      if (!url.searchParams.has('cursor')) {
        return { data: [anEntry({ id: '2' })], nextCursor: 'c1', days: days() }
      }
      return fail
        ? failure(400, 'This page is no more.')
        : { data: [anEntry({ id: '1' })], nextCursor: null, days: days() }
    })
    open()
    await userEvent.click(await screen.findByRole('button', { name: 'Load more' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('This page is no more.')
    expect(await rows()).toHaveLength(1)
    fail = false
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    await waitFor(async () => expect(await rows()).toHaveLength(2))
  })
})
