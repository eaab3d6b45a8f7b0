import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Ticket } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet, unanswered } from '@/testing/server'
import { aTicket, cardOf, idOf, inCard, numberOf, renderView, serveTickets } from '../testing'
import { TicketsView } from './tickets-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

beforeEach(() => {
  visit('/admin')
  Element.prototype.scrollIntoView = vi.fn()
})

const many = (count: number) => Array.from({ length: count }, (_, index) => aTicket(index + 1))

describe('the list', () => {
  it('shows where a search has found what only the messages have', async () => {
    visit(`/admin?search=${encodeURIComponent('größe (is')}`)
    const snippets = { [idOf(1)]: '…the GRÖßE (is) wrong…', [idOf(2)]: '…GROESSE…' }
    const tickets = [1, 2, 3].map((n) => aTicket(n, { message: 'What größe (is it?' }))
    serveTickets(() => tickets, { snippets })
    renderView(TicketsView)
    expect(await cardOf(1)).toHaveTextContent('Found: …the GRÖßE (is) wrong…')
    expect((await inCard(1)).getByText('GRÖßE (is')).toHaveProperty('localName', 'mark')
    // What the server knows to be the same, and the page does not.
    expect((await inCard(2)).getByText('…GROESSE…')).toBeVisible()
    expect((await inCard(3)).queryByText('Found:')).not.toBeInTheDocument()
  })

  it('shows what each ticket is about', async () => {
    serveTickets(() => [
      aTicket(123, {
        status: 'in_progress',
        priority: 'urgent',
        category: 'feature_request',
        subject: 'Dark icons',
        message: 'Please add dark icons.',
      }),
    ])
    const { container } = renderView(TicketsView)
    const card = await inCard(123)
    expect(card.getByRole('heading')).toHaveTextContent('Ticket #TKT-000123')
    expect(card.getByText('person-123@fledge.test')).toBeVisible()
    expect(card.getByText('Aug 27, 2025 09:05')).toBeVisible()
    expect(card.getByText('In progress')).toBeVisible()
    expect(card.getByText('Urgent')).toBeVisible()
    expect(card.getByText('Feature request')).toBeVisible()
    expect(card.getByText('Dark icons')).toBeVisible()
    expect(card.getByText('Please add dark icons.')).toHaveStyle('-webkit-line-clamp: 2')
    expect(card.getByRole('button', { name: 'View Details' })).toBeVisible()
    expect(screen.getByText('1 ticket')).toBeVisible()
    expect(screen.queryByRole('navigation', { name: 'Pages' })).not.toBeInTheDocument()
    expect(await violations(container)).toEqual([])
  })

  it('shows whose account may not be used', async () => {
    serveTickets(() => [aTicket(1, { user_state: 'disabled' }), aTicket(2)])
    renderView(TicketsView)
    expect((await inCard(1)).getByText('Disabled')).toBeVisible()
    expect((await inCard(2)).queryByText(/^Account/)).not.toBeInTheDocument()
  })

  it('marks who waits, and tells when the last message came and from whom', async () => {
    const desk = {
      last_message_at: '2025-08-28T10:00:00',
      last_message_by: 'customer' as const,
      waiting_since: '2025-08-28T10:00:00',
      answer_due: '2025-08-28T14:00:00',
      answered_in_time: null,
      assignee_id: null,
      assignee_email: null,
      tags: [],
    }
    const served = serveTickets(() => [
      aTicket(1, { desk }),
      aTicket(2, {
        desk: { ...desk, last_message_by: 'staff', waiting_since: null, answer_due: null },
      }),
    ])
    renderView(TicketsView)
    expect(await cardOf(1)).toHaveTextContent(
      'Waiting for usAnswer overdue since Aug 28, 2025 14:00Customer wrote Aug 28, 2025 10:00',
    )
    expect(await cardOf(2)).toHaveTextContent('Staff wrote Aug 28, 2025 10:00')
    expect((await inCard(2)).queryByText('Waiting for us')).not.toBeInTheDocument()

    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Queue' }), 'Waiting for us')
    const order = screen.getByRole('combobox', { name: 'Order' })
    await userEvent.selectOptions(order, 'Longest waiting first')
    await waitFor(() =>
      expect(served.asked.at(-1)).toBe('?page=1&limit=50&queue=waiting&sort=waiting'),
    )
    expect(window.location.search).toBe('?queue=waiting&sort=waiting')
  })

  it('shows the tickets of a tag, until all are wanted again', async () => {
    const desk = {
      last_message_at: '2025-08-27T09:05:00',
      last_message_by: 'customer' as const,
      waiting_since: null,
      answer_due: null,
      answered_in_time: null,
      assignee_id: null,
      assignee_email: null,
      tags: ['crash', 'mac'],
    }
    const served = serveTickets(() => [aTicket(1, { desk })])
    const { container } = renderView(TicketsView)
    await userEvent.click(
      (await inCard(1)).getByRole('button', { name: '#crash: show its tickets' }),
    )
    await waitFor(() => expect(served.asked.at(-1)).toBe('?page=1&limit=50&tag=crash'))
    const all = await screen.findByRole('button', { name: '#crash: show all tags' })
    expect(await violations(container)).toEqual([])
    await userEvent.click(all)
    await waitFor(() => expect(window.location.search).toBe(''))
    expect(screen.queryByRole('button', { name: /show all tags/ })).not.toBeInTheDocument()
  })

  it('says that a search has found only the newest', async () => {
    visit('/admin?search=Please')
    serveTickets(() =>
      Array.from({ length: 500 }, (_, n) => aTicket(n + 1, { message: 'Please.' })),
    )
    renderView(TicketsView)
    expect(await screen.findByText('1–50 of the newest 500 tickets found')).toBeVisible()
  })

  it('takes every text as text', async () => {
    const message = '<img src=x onerror=alert(1)> **not bold** \u001b[31m'
    serveTickets(() => [aTicket(1, { message, subject: '<b>subject</b>' })])
    const { container } = renderView(TicketsView)
    expect(await screen.findByText('<b>subject</b>')).toBeVisible()
    expect(container.querySelector('img, b')).toBeNull()
  })

  it('waits in its own shape', async () => {
    onGet('/api/get-support-tickets', unanswered)
    const { container } = renderView(TicketsView)
    expect(await screen.findByText('Loading tickets...')).toHaveAttribute('role', 'status')
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Refresh' })).toHaveAttribute(
        'aria-disabled',
        'true',
      ),
    )
    await waitFor(() => expect(screen.queryByText('No tickets found')).not.toBeInTheDocument())
    expect(await violations(container)).toEqual([])
  })

  it('says when there is none, and refreshes', async () => {
    let tickets = many(0)
    serveTickets(() => tickets)
    const { container } = renderView(TicketsView)
    expect(await screen.findByRole('heading', { name: 'No tickets found' })).toBeVisible()
    expect(screen.getByText('No support tickets match your current filters.')).toBeVisible()
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Clear filters' })).not.toBeInTheDocument(),
    )
    expect(await violations(container)).toEqual([])
    tickets = many(1)
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await cardOf(1)).toBeVisible()
  })

  it.each([
    [
      "the server's words",
      () => failure(403, 'Only admins may do this.'),
      'Only admins may do this.',
    ],
    ['words of its own', () => new Response('{}', { status: 400 }), 'Failed to fetch tickets'],
  ])('that fails shows %s in a banner', async (_, answer, text) => {
    onGet('/api/get-support-tickets', answer)
    const { container } = renderView(TicketsView)
    expect(await screen.findByRole('alert')).toHaveTextContent(text)
    await waitFor(() => expect(screen.queryByText('No tickets found')).not.toBeInTheDocument())
    expect(await violations(container)).toEqual([])
    serveTickets(() => many(1))
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await cardOf(1)).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
  })

  it.each(['null', '{}', '[]', '{"data":null}', '{"data":[],"pagination":{}}'])(
    'says so of an answer that makes no sense: %s',
    async (answer) => {
      onGet('/api/get-support-tickets', () => new Response(answer))
      renderView(TicketsView)
      expect(await screen.findByRole('alert')).toHaveTextContent('Failed to fetch tickets')
      expect(screen.getByRole('search', { name: 'Tickets' })).toBeVisible()
    },
  )

  it('shows values that it does not know as they are', async () => {
    const ticket = { ...aTicket(1), status: 'on_hold', priority: 'blocker', category: 'press_kit' }
    serveTickets(() => [ticket as Ticket, aTicket(2)])
    renderView(TicketsView)
    const card = await inCard(1)
    for (const word of ['On hold', 'Blocker', 'Press kit']) {
      expect(card.getByText(word)).toBeVisible()
    }
    await userEvent.click(card.getByRole('button', { name: 'View Details' }))
    const dialog = within(await screen.findByRole('dialog', { name: numberOf(1) }))
    expect(dialog.getByText('Status').nextElementSibling).toHaveTextContent('On hold')
    expect(dialog.getByText('Priority').nextElementSibling).toHaveTextContent('Blocker')
  })

  it('shows the others when one cannot be shown', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    serveTickets(() => [{ ...aTicket(1), message: null as never }, aTicket(2)])
    renderView(TicketsView)
    expect(await cardOf(2)).toBeVisible()
    expect(screen.getByText('This ticket could not be shown.')).toBeVisible()
  })

  it('keeps what it has when refreshing fails', async () => {
    serveTickets(() => many(1))
    renderView(TicketsView)
    await cardOf(1)
    onGet('/api/get-support-tickets', () => failure(403, 'Not any more.'))
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('Not any more.')
    expect(await cardOf(1)).toBeVisible()
  })
})

describe('the pages', () => {
  it('turn, each a step that going back undoes', async () => {
    const { asked } = serveTickets(() => many(5), { pageSize: 2 })
    renderView(TicketsView)
    expect(await screen.findByText('Page 1 of 3')).toBeVisible()
    const ends = (name: string) => screen.getByRole('button', { name })
    await waitFor(() => expect(ends('Previous')).toHaveAttribute('aria-disabled', 'true'))
    await userEvent.click(screen.getByRole('button', { name: 'Next' }))
    expect(await cardOf(3)).toBeVisible()
    expect(screen.getByText('Page 2 of 3')).toBeVisible()
    expect(window.location.search).toBe('?page=2')
    expect(screen.getByRole('button', { name: 'Next' })).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    expect(await cardOf(5)).toBeVisible()
    await waitFor(() => expect(ends('Next')).toHaveAttribute('aria-disabled', 'true'))
    expect(ends('Next')).toHaveFocus()
    await userEvent.keyboard('{Enter}')
    expect(window.location.search).toBe('?page=3')
    window.history.back()
    expect(await cardOf(3)).toBeVisible()
    expect(screen.getByText('Page 2 of 3')).toBeVisible()
    await userEvent.click(screen.getByRole('button', { name: 'Previous' }))
    expect(await cardOf(1)).toBeVisible()
    expect(window.location.search).toBe('')
    expect(asked[0]).toBe('?page=1&limit=50')
  })

  it('past the last one are put right without a step', async () => {
    visit('/admin?page=9')
    const steps = window.history.length
    serveTickets(() => many(5), { pageSize: 2 })
    renderView(TicketsView)
    expect(await screen.findByText('Page 3 of 3')).toBeVisible()
    expect(await cardOf(5)).toBeVisible()
    expect(window.location.search).toBe('?page=3')
    expect(window.history.length).toBe(steps)
  })
})

describe('the filter', () => {
  const tickets = [
    aTicket(1),
    aTicket(2, { status: 'resolved', priority: 'high', category: 'bug', message: 'It crashes' }),
    aTicket(3, { status: 'resolved', priority: 'low', category: 'billing' }),
  ]

  it('is read from the address, and its controls say the same', async () => {
    visit('/admin?status=resolved&category=bug&priority=high&search=crash&page=1')
    const { asked } = serveTickets(() => tickets)
    renderView(TicketsView)
    expect(await cardOf(2)).toBeVisible()
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveValue('resolved')
    expect(screen.getByRole('combobox', { name: 'Category' })).toHaveValue('bug')
    expect(screen.getByRole('combobox', { name: 'Priority' })).toHaveValue('high')
    expect(screen.getByRole('searchbox', { name: 'Search tickets' })).toHaveValue('crash')
    expect(asked).toEqual([
      '?page=1&limit=50&status=resolved&category=bug&priority=high&search=crash',
    ])
  })

  it('that is unknown filters nothing, and the address is left alone', async () => {
    visit('/admin?status=%3Cscript%3E&page=-4&priority=HIGH')
    const { asked } = serveTickets(() => tickets)
    renderView(TicketsView)
    await cardOf(1)
    expect(asked).toEqual(['?page=1&limit=50'])
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveDisplayValue('All statuses')
    expect(window.location.search).toBe('?status=%3Cscript%3E&page=-4&priority=HIGH')
  })

  it('chosen starts at page 1, and going back undoes it', async () => {
    visit('/admin?page=2')
    serveTickets(() => tickets, { pageSize: 2 })
    renderView(TicketsView)
    await cardOf(3)
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Status' }), 'Resolved')
    expect(await cardOf(2)).toBeVisible()
    expect(window.location.search).toBe('?status=resolved')
    window.history.back()
    await waitFor(() => expect(screen.queryByText(numberOf(2))).not.toBeInTheDocument())
    expect(screen.getByRole('combobox', { name: 'Status' })).toHaveValue('')
    expect(window.location.search).toBe('?page=2')
  })

  it('shows no ticket of the last one beside a failure', async () => {
    serveTickets(() => tickets)
    renderView(TicketsView)
    await cardOf(1)
    onGet('/api/get-support-tickets', () => failure(403, 'No.'))
    await userEvent.selectOptions(screen.getByRole('combobox', { name: 'Priority' }), 'Urgent')
    expect(await screen.findByRole('alert')).toHaveTextContent('No.')
    await waitFor(() => expect(screen.queryByText(numberOf(1))).not.toBeInTheDocument())
  })

  it('is cleared from an empty list', async () => {
    visit('/admin?status=closed&search=x')
    serveTickets(() => tickets)
    renderView(TicketsView)
    await userEvent.click(await screen.findByRole('button', { name: 'Clear filters' }))
    expect(await cardOf(1)).toBeVisible()
    expect(window.location.search).toBe('')
    expect(screen.getByRole('searchbox')).toHaveValue('')
  })
})

describe('the search', () => {
  const box = () => screen.getByRole('searchbox', { name: 'Search tickets' })

  it('asks once, when typing pauses, and replaces the step it is in', async () => {
    const { asked } = serveTickets(() => many(3))
    renderView(TicketsView)
    await cardOf(1)
    const steps = window.history.length
    expect(box()).toHaveAttribute('placeholder', 'Search tickets...')
    // At once: between the keys of a slow machine the pause would be over.
    for (const typed of ['Me', 'Message', 'Message 2 '])
      fireEvent.change(box(), { target: { value: typed } })
    expect(asked).toHaveLength(1)
    await waitFor(() => expect(asked).toHaveLength(2))
    expect(asked[1]).toBe('?page=1&limit=50&search=Message+2')
    expect(box()).toHaveValue('Message 2 ')
    expect(window.history.length).toBe(steps)
  })

  it('that is being typed goes along with a filter chosen meanwhile', async () => {
    const { asked } = serveTickets(() => many(3))
    renderView(TicketsView)
    await cardOf(1)
    // At once, before the pause after typing is over.
    fireEvent.change(box(), { target: { value: 'x' } })
    fireEvent.change(screen.getByRole('combobox', { name: 'Status' }), {
      target: { value: 'open' },
    })
    await waitFor(() => expect(asked.at(-1)).toBe('?page=1&limit=50&status=open&search=x'))
    expect(window.location.search).toBe('?status=open&search=x')
    expect(asked).toHaveLength(2)
  })

  it('follows the address when it goes back', async () => {
    serveTickets(() => many(3))
    visit('/admin')
    renderView(TicketsView)
    await cardOf(1)
    window.history.pushState(null, '', '/admin?search=Message+3')
    await waitFor(() => expect(screen.queryByText(numberOf(1))).not.toBeInTheDocument())
    expect(box()).toHaveValue('Message 3')
    window.history.back()
    expect(await cardOf(1)).toBeVisible()
    expect(box()).toHaveValue('')
  })
})

describe('the export', () => {
  it('saves what the filter shows, under the name that the server gives', async () => {
    visit('/admin?status=open&search=a%26b&page=1')
    serveTickets(() => many(1))
    const asked: (string | null)[] = []
    onGet('/api/export-support-tickets', ({ url, bearer }) => {
      asked.push(url.search, bearer)
      return new Response('\ufeffid\r\n', {
        headers: { 'Content-Disposition': 'attachment; filename="support-tickets-2025-11-21.csv"' },
      })
    })
    const saved: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      saved.push(this.download, this.href)
    })
    URL.createObjectURL = vi.fn(() => 'blob:file')
    URL.revokeObjectURL = vi.fn()
    renderView(TicketsView)
    await userEvent.click(await screen.findByRole('button', { name: 'Export CSV' }))
    await waitFor(() => expect(saved).toEqual(['support-tickets-2025-11-21.csv', 'blob:file']))
    expect(asked).toEqual(['?status=open&search=a%26b', 'token-1'])
  })

  it.each([
    [() => failure(503, 'Please try again in a moment.'), 'Please try again in a moment.'],
    [() => Response.error(), 'Failed to export tickets'],
  ])('that fails says so (%#)', async (answer, text) => {
    serveTickets(() => many(1))
    onGet('/api/export-support-tickets', answer)
    renderView(TicketsView)
    await userEvent.click(await screen.findByRole('button', { name: 'Export CSV' }))
    expect(await screen.findByText(text)).toBeVisible()
    await waitFor(() =>
      expect(screen.getByRole('button', { name: 'Export CSV' })).not.toHaveAttribute(
        'aria-disabled',
      ),
    )
  })
})

describe('the keyboard', () => {
  it('walks, opens and closes', async () => {
    serveTickets(() => many(3))
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.keyboard('j')
    await waitFor(async () => expect(await cardOf(1)).toHaveFocus())
    await userEvent.keyboard('jjj')
    await waitFor(async () => expect(await cardOf(3)).toHaveFocus())
    await userEvent.keyboard('k')
    await waitFor(async () => expect(await cardOf(2)).toHaveFocus())
    await userEvent.keyboard('{Enter}')
    expect(await screen.findByRole('dialog', { name: numberOf(2) })).toBeVisible()
    expect(window.location.search).toBe(`?ticket=${idOf(2)}`)
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await waitFor(() => expect(window.location.search).toBe(''))
    await waitFor(async () => expect(await cardOf(2)).toHaveFocus())
    await userEvent.keyboard('o')
    expect(await screen.findByRole('dialog', { name: numberOf(2) })).toBeVisible()
  })

  it.each([
    ['with Caps Lock', 'J', true],
    ['of a Cyrillic keyboard', 'о', true],
    ['of a Latin one that has another letter there', 'h', false],
  ])('knows its letters %s', async (_, key, moves) => {
    serveTickets(() => many(2))
    renderView(TicketsView)
    const card = await cardOf(1)
    fireEvent.keyDown(document.body, { key, code: 'KeyJ' })
    expect(card === document.activeElement).toBe(moves)
  })

  it('searches, and types what is typed', async () => {
    serveTickets(() => many(2))
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.keyboard('/')
    await waitFor(() => expect(screen.getByRole('searchbox')).toHaveFocus())
    await userEvent.keyboard('jk?/')
    expect(screen.getByRole('searchbox')).toHaveValue('jk?/')
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
  })

  it('leaves the keys of the browser alone', async () => {
    serveTickets(() => many(2))
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.keyboard('{Control>}j{/Control}{Meta>}k{/Meta}')
    await waitFor(() => expect(document.body).toHaveFocus())
  })

  it('selects, and lets go', async () => {
    serveTickets(() => many(2))
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.keyboard('jx')
    expect(screen.getByText('1 selected')).toBeVisible()
    await userEvent.keyboard('{Escape}')
    expect(screen.getByText('2 tickets')).toBeVisible()
  })

  it('has a list of its keys, where it is turned off and on', async () => {
    serveTickets(() => many(2))
    renderView(TicketsView)
    await cardOf(1)
    await userEvent.keyboard('?')
    const dialog = screen.getByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(dialog).toHaveTextContent('Next ticket')
    expect(await violations(dialog)).toEqual([])
    await userEvent.click(screen.getByRole('checkbox', { name: /single-key shortcuts/ }))
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await userEvent.keyboard('j')
    await waitFor(async () => expect(await cardOf(1)).not.toHaveFocus())
    await userEvent.keyboard('?')
    await userEvent.click(screen.getByRole('checkbox', { name: /single-key shortcuts/ }))
    await userEvent.click(screen.getByRole('button', { name: 'Close' }))
    await userEvent.keyboard('j')
    await waitFor(async () => expect(await cardOf(1)).toHaveFocus())
  })
})
