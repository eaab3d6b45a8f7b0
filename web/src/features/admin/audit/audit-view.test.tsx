import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AuditEntry } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet } from '@/testing/server'
import { renderView } from '../testing'
import { AuditView } from './audit-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

function anEntry(n: number, values: Partial<AuditEntry> = {}): AuditEntry {
  return {
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    at: '2026-11-21T12:00:00Z',
    actor_id: '00000000-0000-4000-8000-000000000001',
    actor_email: 'admin@fledge.test',
    action: 'waitlist.approved',
    subject: `w${n}`,
    subject_label: `person-${n}@fledge.test`,
    before: { status: 'pending' },
    after: { status: 'approved' },
    client_ip: '203.0.113.7',
    user_agent: 'Safari/18',
    request_id: '0199f3c5-8a52-7b1d-94e8-a6c1f0d2e9b8',
    reason: '',
    ...values,
  }
}

function serve(entries: AuditEntry[], pageSize = 100): string[] {
  const asked: string[] = []
  onGet('/api/get-audit-log', ({ url }) => {
    asked.push(url.search)
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const more = entries.length > from + pageSize
    return {
      data: entries.slice(from, from + pageSize),
      nextCursor: more ? String(from + pageSize) : null,
    }
  })
  return asked
}

beforeEach(() => visit('/admin?tab=audit'))

describe('the audit log', () => {
  it('says who did what, what it changed, and from where', async () => {
    serve([
      anEntry(1),
      anEntry(2, {
        action: 'user.roles_changed',
        before: { roles: ['user'] },
        after: { roles: ['admin', 'user'] },
      }),
      anEntry(3, {
        action: 'house.painted',
        subject_label: '',
        before: null,
        after: null,
        client_ip: '',
      }),
    ])
    const { container } = renderView(AuditView)
    const rows = within(await screen.findByRole('list', { name: 'Audit log' }))
    expect(rows.getByText(/approved/, { selector: 'p' })).toHaveTextContent(
      'admin@fledge.test approved person-1@fledge.test',
    )
    const [status] = rows.getAllByRole('list', { name: 'Changes' })
    expect(status).toHaveTextContent('status: pending approved')
    expect(rows.getByText(/changed the roles of/)).toBeVisible()
    expect(rows.getByText(/house\.painted/)).toHaveTextContent('admin@fledge.test house.painted w3')
    expect(rows.getByText('From an unknown address')).toBeVisible()
    await userEvent.click(rows.getAllByText('From 203.0.113.7')[0]!)
    expect(rows.getAllByText(/Safari\/18 · request 0199f3c5/)[0]).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('is narrowed by the address, which follows the filters', async () => {
    visit('/admin?tab=audit&action=ticket.updated&search=TKT')
    const asked = serve([])
    renderView(AuditView)
    expect(await screen.findByText('Nothing in the log matches your filters.')).toBeVisible()
    expect(screen.getByLabelText('Action')).toHaveValue('ticket.updated')
    expect(screen.getByRole('searchbox')).toHaveValue('TKT')
    expect(asked).toEqual(['?action=ticket.updated&search=TKT'])

    await userEvent.selectOptions(screen.getByLabelText('Action'), 'Approved')
    await waitFor(() => expect(asked.at(-1)).toBe('?action=waitlist.approved&search=TKT'))
    expect(window.location.search).toBe('?tab=audit&action=waitlist.approved&search=TKT')

    await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }))
    expect(await screen.findByText('No staff activity yet.')).toBeVisible()
    expect(window.location.search).toBe('?tab=audit')
  })

  it('lets a year be typed digit by digit, and asks for it once it is whole', async () => {
    const asked = serve([anEntry(1)])
    renderView(AuditView)
    await screen.findByText(/person-1/)
    const from = screen.getByLabelText('From')
    for (const year of ['0002', '0020', '0202']) {
      fireEvent.input(from, { target: { value: `${year}-11-20` } })
      expect(from).toHaveValue(`${year}-11-20`)
    }
    expect(window.location.search).toBe('?tab=audit')
    fireEvent.input(from, { target: { value: '2026-11-20' } })
    await waitFor(() => expect(asked.at(-1)).toMatch(/^\?from=2026-11-/))
    expect(asked).toHaveLength(2)
    expect(from).toHaveValue('2026-11-20')
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    fireEvent.input(from, { target: { value: '' } })
    await waitFor(() => expect(window.location.search).toBe('?tab=audit'))
    expect(from).toHaveValue('')
  })

  it('asks for the search once typing has paused', async () => {
    const asked = serve([anEntry(1)])
    renderView(AuditView)
    await screen.findByText(/person-1/)
    await userEvent.type(screen.getByRole('searchbox'), 'ada')
    await waitFor(() => expect(asked.at(-1)).toBe('?search=ada'))
    expect(asked).toEqual(['', '?search=ada'])
  })

  it('goes on where the page ended', async () => {
    serve([anEntry(1), anEntry(2), anEntry(3)], 2)
    renderView(AuditView)
    await screen.findByText(/person-2/)
    await waitFor(() => expect(screen.queryByText(/person-3/)).not.toBeInTheDocument())
    await userEvent.click(screen.getByRole('button', { name: 'Load more' }))
    expect(await screen.findByText(/person-3/)).toBeVisible()
    expect(screen.getByText(/person-1/)).toBeVisible()
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Load more' })).not.toBeInTheDocument(),
    )
  })

  it('says why it could not be loaded, and tries again', async () => {
    onGet('/api/get-audit-log', () => failure(403, 'Only admins may do this.'))
    const { container } = renderView(AuditView)
    expect(await screen.findByRole('alert')).toHaveTextContent('Only admins may do this.')
    expect(await violations(container)).toEqual([])
    serve([anEntry(1)])
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText(/person-1/)).toBeVisible()
  })
})

it('shows an action that it does not know as it is, and the others when an entry cannot be shown', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  serve([
    anEntry(1, { action: 'invoice.paid_back' as never }),
    anEntry(2, { action: null as never }),
    anEntry(3, { action: 'toString' as never }),
  ])
  renderView(AuditView)
  const rows = await screen.findAllByRole('listitem')
  expect(rows[0]).toHaveTextContent('admin@fledge.test invoice.paid back person-1@fledge.test')
  expect(screen.getByText('This entry could not be shown.')).toBeVisible()
  expect(screen.getByText(/toString/)).toBeVisible()
})

it.each(['null', '{}', '[]', '{"data":[7]}'])('says so of an answer like %s', async (answer) => {
  onGet('/api/get-audit-log', () => new Response(answer))
  renderView(AuditView)
  expect(await screen.findByRole('alert')).toHaveTextContent('Failed to fetch the audit log')
})
