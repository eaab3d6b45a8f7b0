import { act, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { http, HttpResponse } from 'msw'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { AppFooter } from '@/components/app/app-footer'
import { useAuth } from '@/features/session/use-auth'
import type { MyTicket, NewTicket, TicketReply } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { renderApp } from '@/testing/render'
import { translate } from '@/testing/translate'
import { failure, offline, onGet, onPost, server } from '@/testing/server'
import { aSession, managerOf } from '@/testing/session'
import { MyTickets } from './my-tickets'
import { SupportButton } from './support-button'
import { SupportAccountMenu } from './support-account-menu'
import { SupportProvider } from './support-provider'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const id = '11111111-1111-4111-8111-111111111111'

function aTicket(overrides: Partial<MyTicket> = {}): MyTicket {
  return {
    id,
    ticket_id: 'TKT-000042',
    user_email: 'jane@fledge.test',
    created_at: '2025-08-27T09:05:00',
    updated_at: '2025-08-28T10:15:00',
    status: 'open',
    priority: 'medium',
    category: 'bug',
    subject: 'No icons',
    message: 'The icons are gone.',
    app_version: null,
    operating_system: null,
    version: 1,
    messages: [],
    earlier: false,
    ...overrides,
  }
}

let tickets: MyTicket[]

// What is loaded on demand may take its time on a busy machine.
beforeAll(() => Promise.all([import('./conversation'), import('./support-content')]))

beforeEach(() => {
  visit('/profile')
  tickets = []
  onGet('/api/get-my-support-tickets', () => ({ data: tickets, nextCursor: null }))
})

/** As the layout of the app pages and the profile put them together. */
function Pages() {
  const { user } = useAuth()
  return (
    <SupportProvider>
      <SupportAccountMenu />
      {user && <MyTickets />}
      <AppFooter support={<SupportButton />} />
    </SupportProvider>
  )
}

const open = (session: ReturnType<typeof aSession> | null = aSession()) =>
  renderApp(<Pages />, { session })

describe('asking for support', () => {
  const dialog = () => screen.findByRole('dialog', { name: 'Support' })

  async function openForm() {
    const view = open()
    await screen.findByText('You have not contacted us yet.')
    await userEvent.click(screen.getByRole('button', { name: 'Support' }))
    const form = within(await dialog())
    await form.findByRole('combobox')
    return { ...view, form }
  }

  async function fillIn(form: ReturnType<typeof within>) {
    await userEvent.selectOptions(
      form.getByRole('combobox', { name: 'What is it about?' }),
      'Technical support',
    )
    await userEvent.type(form.getByRole('textbox', { name: 'Subject (optional)' }), ' No icons ')
    await userEvent.type(form.getByRole('textbox', { name: 'Message' }), ' Gone. ')
  }
  const send = (form: ReturnType<typeof within>) => form.getByRole('button', { name: 'Send' })

  it('files a ticket and shows its number', async () => {
    const bodies: NewTicket[] = []
    onPost('/api/create-support-ticket', ({ body, bearer }) => {
      expect(bearer).toBe('token-1')
      bodies.push(body as NewTicket)
      tickets = [aTicket()]
      return { data: aTicket() }
    })
    const { form } = await openForm()
    await waitFor(() => expect(send(form)).toBeDisabled())
    expect(form.getByText('0 / 10,000')).toBeVisible()
    expect(await violations(await dialog())).toEqual([])
    await fillIn(form)
    expect(form.getByText('5 / 10,000')).toBeVisible()
    await userEvent.click(send(form))

    const heading = await form.findByRole('heading', { name: 'We have your message' })
    await waitFor(() => expect(heading).toHaveFocus())
    expect(form.getByText('TKT-000042')).toBeVisible()
    expect(form.getByRole('link', { name: 'See my tickets' })).toHaveAttribute(
      'href',
      '/profile#my-tickets',
    )
    expect(bodies).toEqual([
      {
        category: 'technical_support',
        subject: 'No icons',
        message: 'Gone.',
        idempotencyKey: expect.stringMatching(/^[\w-]{36}$/),
      },
    ])
    expect(await violations(await dialog())).toEqual([])
    await userEvent.click(form.getByRole('button', { name: 'Done' }))
    expect(await screen.findByText(/TKT-000042 · Aug 28, 2025 10:15/)).toBeVisible()
  })

  it('that is too long says so, and is not cut', async () => {
    const { form } = await openForm()
    await fillIn(form)
    const field = form.getByRole('textbox', { name: 'Message' })
    await userEvent.clear(field)
    await userEvent.click(field)
    await userEvent.paste(`${'a'.repeat(10_000)}b`)
    expect(field).toHaveValue(`${'a'.repeat(10_000)}b`)
    expect(form.getByRole('alert')).toHaveTextContent(
      'a message may have at most 10,000 characters.',
    )
    expect(form.getByText('10,001 / 10,000')).toBeVisible()
    expect(send(form)).toBeDisabled()
    await userEvent.type(field, '{Backspace}')
    expect(form.queryByRole('alert')).not.toBeInTheDocument()
    expect(send(form)).toBeEnabled()
  })

  it.each([
    [() => failure(429, 'Please wait an hour.'), 'Please wait an hour.'],
    [() => new Response('', { status: 500 }), 'Something went wrong. Please try again.'],
    [offline, 'Network error. Please try again.'],
  ])('that fails says so and keeps what was typed (%#)', async (answer, text) => {
    onPost('/api/create-support-ticket', answer)
    const { form } = await openForm()
    await fillIn(form)
    await userEvent.click(send(form))
    expect(await form.findByRole('alert')).toHaveTextContent(text)
    expect(form.getByRole('textbox', { name: 'Message' })).toHaveValue(' Gone. ')
  })

  it('tries again with the same key, and with a new one for another message', async () => {
    const keys: string[] = []
    onPost('/api/create-support-ticket', ({ body }) => {
      keys.push((body as NewTicket).idempotencyKey)
      return offline()
    })
    const { form } = await openForm()
    await fillIn(form)
    for (const [tries, text] of [
      [1, ''],
      [2, ''],
      [3, 'More.'],
    ] as const) {
      if (text) await userEvent.type(form.getByRole('textbox', { name: 'Message' }), text)
      await userEvent.click(send(form))
      await waitFor(() => expect(keys).toHaveLength(tries))
      await waitFor(() => expect(send(form)).not.toHaveAttribute('aria-disabled'))
    }
    expect(keys[1]).toBe(keys[0])
    expect(keys[2]).not.toBe(keys[0])
  })

  it('rests while it is sent, and keeps the focus', async () => {
    const bodies: unknown[] = []
    onPost('/api/create-support-ticket', ({ body }) => {
      bodies.push(body)
      return new Promise(() => {})
    })
    const { form } = await openForm()
    await fillIn(form)
    await userEvent.click(send(form))
    const button = await form.findByRole('button', { name: 'Sending...' })
    expect(button).toHaveFocus()
    expect(button).toHaveAttribute('aria-busy', 'true')
    expect(form.getByRole('textbox', { name: 'Message' })).toHaveAttribute('readonly')
    const category = form.getByRole<HTMLSelectElement>('combobox')
    const { value } = category
    await userEvent.selectOptions(category, 'Billing')
    expect(category).toHaveAttribute('aria-disabled', 'true')
    expect(category).toHaveValue(value)
    expect(category).toHaveFocus()
    await userEvent.click(button)
    await userEvent.type(form.getByRole('textbox', { name: 'Subject (optional)' }), '{Enter}')
    await waitFor(() => expect(bodies).toHaveLength(1))
  })

  it('is cleaned of what a paste brings along and nobody sees', async () => {
    const bodies: NewTicket[] = []
    onPost('/api/create-support-ticket', ({ body }) => {
      bodies.push(body as NewTicket)
      return { data: aTicket() }
    })
    const { form } = await openForm()
    await userEvent.selectOptions(form.getByRole('combobox'), 'Bug')
    await userEvent.click(form.getByRole('textbox', { name: 'Subject (optional)' }))
    await userEvent.paste('No\u000bicons')
    await userEvent.click(form.getByRole('textbox', { name: 'Message' }))
    await userEvent.paste('Line one\u000bLine two\u000c\u001b[31merror:\u001b[0m\tno icons\u0000')
    await userEvent.click(send(form))
    await form.findByRole('heading', { name: 'We have your message' })
    expect(bodies).toMatchObject([
      { subject: 'No icons', message: 'Line one\nLine two\nerror:\tno icons' },
    ])
  })

  const draft = {
    category: 'technical_support',
    subject: ' No icons ',
    message: ' Gone. ',
  }
  const typed = (form: ReturnType<typeof within>) => ({
    category: (form.getByRole('combobox') as HTMLSelectElement).value,
    subject: (form.getByRole('textbox', { name: /Subject/ }) as HTMLInputElement).value,
    message: (form.getByRole('textbox', { name: 'Message' }) as HTMLTextAreaElement).value,
  })

  it('keeps a draft while the dialog is closed, and when the page is loaded again', async () => {
    const { form, unmount } = await openForm()
    await fillIn(form)
    await userEvent.click(form.getByRole('button', { name: 'Close' }))
    await userEvent.click(screen.getByRole('button', { name: 'Contact support' }))
    expect(typed(form)).toEqual(draft)
    unmount()
    const again = await openForm()
    expect(typed(again.form)).toEqual(draft)
  })

  it('shows a draft to nobody else', async () => {
    const { form, unmount } = await openForm()
    await fillIn(form)
    unmount()
    const session = aSession()
    open({ ...session, user: { ...session.user, id: 'somebody-else', email: 'ann@fledge.test' } })
    await userEvent.click(await screen.findByRole('button', { name: 'Contact support' }))
    const other = within(await dialog())
    await other.findByRole('combobox')
    expect(typed(other)).toEqual({ category: '', subject: '', message: '' })
  })

  it('forgets the draft once it has been filed', async () => {
    onPost('/api/create-support-ticket', () => ({ data: aTicket() }))
    const { form } = await openForm()
    await fillIn(form)
    await userEvent.click(send(form))
    await userEvent.click(await form.findByRole('button', { name: 'Done' }))
    await userEvent.click(screen.getByRole('button', { name: 'Contact support' }))
    expect(typed(form)).toEqual({ category: '', subject: '', message: '' })
  })

  it('tries again with the same key after the page was loaded again', async () => {
    const keys: string[] = []
    onPost('/api/create-support-ticket', ({ body }) => {
      keys.push((body as NewTicket).idempotencyKey)
      return offline()
    })
    const { form, unmount } = await openForm()
    await fillIn(form)
    await userEvent.click(send(form))
    await form.findByRole('alert')
    unmount()
    const again = await openForm()
    await userEvent.click(send(again.form))
    await waitFor(() => expect(keys).toHaveLength(2))
    expect(keys[1]).toBe(keys[0])
  })

  it('says that the session has ended, and keeps what was typed', async () => {
    const manager = managerOf(aSession())
    renderApp(<Pages />, { manager })
    await userEvent.click(await screen.findByRole('button', { name: 'Contact support' }))
    const form = within(await dialog())
    await form.findByRole('combobox')
    await fillIn(form)
    translate((await form.findByRole('button', { name: 'Send' })).parentElement!)
    await act(() => manager.signOut())
    expect(await form.findByRole('alert')).toHaveTextContent('No active session')
    expect(typed(form)).toEqual(draft)
    expect(form.queryByRole('button', { name: 'Send' })).not.toBeInTheDocument()
    expect(await violations(await dialog())).toEqual([])
    await userEvent.click(form.getByRole('button', { name: 'Sign in' }))
    expect(await screen.findByRole('dialog', { name: 'Sign in' })).toBeVisible()
    expect(screen.queryByRole('dialog', { name: 'Support' })).not.toBeInTheDocument()
  })

  it('is in the menu of the account', async () => {
    onGet('/api/is-admin', () => ({ isAdmin: false, isModerator: false }))
    open()
    await userEvent.click(await screen.findByRole('button', { name: 'Account menu' }))
    await waitFor(() => expect(screen.getByRole('menu')).toHaveFocus())
    await userEvent.keyboard('{ArrowDown}')
    const item = screen.getByRole('menuitem', { name: 'Support' })
    await waitFor(() => expect(item).toHaveAttribute('data-highlighted'))
    await userEvent.keyboard('{Enter}')
    expect(await dialog()).toBeVisible()
  })

  it('offers to sign in first', async () => {
    open(null)
    await userEvent.click(screen.getByRole('button', { name: 'Support' }))
    expect(await screen.findByRole('dialog', { name: 'Sign in' })).toBeVisible()
    await waitFor(() =>
      expect(screen.queryByRole('dialog', { name: 'Support' })).not.toBeInTheDocument(),
    )
  })
})

describe('my tickets', () => {
  const field = () => screen.findByRole('textbox', { name: 'Your reply' })

  async function openTicket(ticket: MyTicket) {
    tickets = [ticket]
    const view = open()
    await userEvent.click(await screen.findByText(/TKT-000042/))
    await screen.findByRole('list', { name: 'Conversation about TKT-000042' })
    return view
  }

  it('may be none', async () => {
    const { container } = open()
    expect(await screen.findByText('Loading tickets...')).toHaveAttribute('role', 'status')
    expect(await screen.findByText('You have not contacted us yet.')).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('have a status and a thread', async () => {
    const { container } = await openTicket(
      aTicket({
        status: 'in_progress',
        messages: [
          { id: '2', author: 'staff', body: 'Which?', created_at: '2025-08-28T10:15:00' },
          { id: '3', author: 'customer', body: 'All of them.', created_at: '2025-08-28T11:00:00' },
        ],
      }),
    )
    expect(screen.getByText('No icons')).toBeVisible()
    expect(screen.getByText('In progress')).toBeVisible()
    const thread = screen.getByRole('list', { name: 'Conversation about TKT-000042' })
    const lines = within(thread).getAllByRole('listitem')
    expect(lines.map((line) => line.textContent)).toEqual([
      'YouAug 27, 2025 09:05The icons are gone.',
      'Fledge supportAug 28, 2025 10:15Which?',
      'YouAug 28, 2025 11:00All of them.',
    ])
    expect(await violations(container)).toEqual([])
  })

  it('are replied to, which opens a resolved one again', async () => {
    const bodies: TicketReply[] = []
    onPost('/api/reply-support-ticket', ({ body }) => {
      bodies.push(body as TicketReply)
      return { data: aTicket({ version: 2 }) }
    })
    await openTicket(aTicket({ status: 'resolved' }))
    expect(screen.getByText('A reply reopens the ticket.')).toBeVisible()
    await userEvent.type(await field(), ' Still gone. ')
    await userEvent.click(screen.getByRole('button', { name: 'Send reply' }))
    expect(await screen.findByText('Still gone.')).toBeVisible()
    expect(await screen.findByText('Reply sent')).toBeVisible()
    expect(screen.getByText('Open')).toBeVisible()
    expect(await field()).toHaveValue('')
    expect(bodies).toEqual([
      {
        ticketId: id,
        message: 'Still gone.',
        idempotencyKey: expect.stringMatching(/^[\w-]{36}$/),
      },
    ])
  })

  it('ask for nothing else after a reply, however many pages are loaded', async () => {
    const asked: string[] = []
    onGet('/api/get-my-support-tickets', ({ url }) => {
      asked.push(url.search)
      const first = aTicket({ id: `0${id.slice(1)}`, ticket_id: 'TKT-000043' })
      return url.searchParams.has('cursor')
        ? { data: [aTicket()], nextCursor: null }
        : { data: [first], nextCursor: 'next' }
    })
    onPost('/api/reply-support-ticket', () => ({ data: aTicket({ version: 2 }) }))
    renderApp(<Pages />, { session: aSession() })
    await userEvent.click(await screen.findByRole('button', { name: 'Older tickets' }))
    await userEvent.click(await screen.findByText(/TKT-000042/))
    await userEvent.type(await field(), 'Still gone.')
    await userEvent.click(screen.getByRole('button', { name: 'Send reply' }))
    const thread = screen.getByRole('list', { name: 'Conversation about TKT-000042' })
    expect(await within(thread).findByText('Still gone.')).toBeVisible()
    expect(asked).toEqual(['', '?cursor=next'])
  })

  it('that are closed take no reply', async () => {
    await openTicket(aTicket({ status: 'closed' }))
    expect(screen.getByText('This ticket is closed.')).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('textbox')).not.toBeInTheDocument())
    await userEvent.click(screen.getByRole('button', { name: 'Open a new ticket' }))
    expect(await screen.findByRole('dialog', { name: 'Support' })).toBeVisible()
  })

  it('keep the focus in the field after a reply', async () => {
    onPost('/api/reply-support-ticket', () => ({ data: aTicket() }))
    await openTicket(aTicket())
    await userEvent.type(await field(), 'One\u000btwo')
    await userEvent.click(screen.getByRole('button', { name: 'Send reply' }))
    await waitFor(async () => expect(await field()).toHaveValue(''))
    expect(await field()).toHaveFocus()
    expect(screen.getByRole('button', { name: 'Send reply' })).toBeDisabled()
  })

  it('keep a reply that was not sent when the page is loaded again', async () => {
    const { unmount } = await openTicket(aTicket())
    await userEvent.type(await field(), 'It still')
    unmount()
    await openTicket(aTicket())
    expect(await field()).toHaveValue('It still')
  })

  const page = { data: [aTicket()], nextCursor: null }
  it.each([
    null,
    {},
    [],
    { data: null },
    { data: [null] },
    { ...page, data: [{ ...aTicket(), messages: null }] },
    { ...page, data: [{ ...aTicket(), message: 7 }] },
  ])('of an unexpected shape are the failure of their card: %j', async (body) => {
    server.use(http.get('*/api/get-my-support-tickets', () => HttpResponse.json(body as object)))
    open()
    expect(await screen.findByText('Your tickets could not be loaded.')).toBeVisible()
    expect(screen.getByRole('button', { name: 'Support' })).toBeVisible()
    onGet('/api/get-my-support-tickets', () => page)
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('No icons')).toBeVisible()
  })

  it('show words of a newer server as they are', async () => {
    const messages = [{ id: '2', author: 'robot', body: 'Hello.', created_at: 'soon' }]
    const odd = { ...aTicket(), status: 'on_hold', messages }
    const body = { data: [odd], nextCursor: null }
    server.use(http.get('*/api/get-my-support-tickets', () => HttpResponse.json(body)))
    open()
    expect(await screen.findByText('On hold')).toBeVisible()
    await userEvent.click(await screen.findByText(/TKT-000042/))
    expect(await screen.findByText('Robot')).toBeVisible()
    expect(screen.getByText('Unknown date')).toBeVisible()
  })

  it('say why a reply failed, and keep it', async () => {
    onPost('/api/reply-support-ticket', () => failure(503, 'Please try again in a moment.'))
    await openTicket(aTicket())
    await userEvent.type(await field(), 'Hello')
    await userEvent.click(screen.getByRole('button', { name: 'Send reply' }))
    expect(await screen.findByRole('alert')).toHaveTextContent('Please try again in a moment.')
    expect(await field()).toHaveValue('Hello')
  })

  it('stay with their reply when that failed, however many pages are loaded', async () => {
    let subject = 'No icons'
    onGet('/api/get-my-support-tickets', ({ url }) =>
      url.searchParams.has('cursor')
        ? { data: [aTicket({ subject })], nextCursor: null }
        : {
            data: [aTicket({ id: `0${id.slice(1)}`, ticket_id: 'TKT-000043' })],
            nextCursor: 'next',
          },
    )
    onPost('/api/reply-support-ticket', () => {
      subject = 'As it is now'
      return failure(503, 'Please try again in a moment.')
    })
    renderApp(<Pages />, { session: aSession() })
    await userEvent.click(await screen.findByRole('button', { name: 'Older tickets' }))
    await userEvent.click(await screen.findByText(/TKT-000042/))
    await userEvent.type(await field(), 'Hello')
    await userEvent.click(screen.getByRole('button', { name: 'Send reply' }))
    expect(await screen.findByText('As it is now')).toBeVisible()
    expect(screen.getByRole('alert')).toHaveTextContent('Please try again in a moment.')
    expect(await field()).toHaveValue('Hello')
  })

  it('stay when older ones could not be loaded, which alone are asked for again', async () => {
    const asked: string[] = []
    onGet('/api/get-my-support-tickets', ({ url }) => {
      const cursor = url.searchParams.get('cursor') ?? ''
      asked.push(cursor)
      if (asked.length === 3) return failure(403, 'Not now.')
      const n = Number(cursor || 1)
      return { data: [aTicket({ id: `${n}`, subject: `Page ${n}` })], nextCursor: `${n + 1}` }
    })
    open()
    const more = async () => {
      await waitFor(() =>
        expect(screen.getByRole('button', { name: 'Older tickets' })).toBeEnabled(),
      )
      await userEvent.click(screen.getByRole('button', { name: 'Older tickets' }))
    }
    await screen.findByText('Page 1')
    await more()
    await screen.findByText('Page 2')
    await more()
    expect(await screen.findByRole('alert')).toHaveTextContent('Not now.')
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('Page 3')).toBeVisible()
    expect(screen.getByText('Page 2')).toBeVisible()
    expect(asked).toEqual(['', '2', '3', '3'])
  })

  it('are asked for again when they could not be loaded', async () => {
    onGet('/api/get-my-support-tickets', () => failure(403, 'This is not yours to see.'))
    open()
    expect(await screen.findByRole('alert')).toHaveTextContent('This is not yours to see.')
    onGet('/api/get-my-support-tickets', () => ({ data: [aTicket()], nextCursor: null }))
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(await screen.findByText('No icons')).toBeVisible()
  })

  it('come a page at a time', async () => {
    onGet('/api/get-my-support-tickets', ({ url }) =>
      url.searchParams.get('cursor') === 'next'
        ? { data: [aTicket({ id: '2', subject: 'Older one' })], nextCursor: null }
        : { data: [aTicket()], nextCursor: 'next' },
    )
    open()
    const more = await screen.findByRole('button', { name: 'Older tickets' })
    more.focus()
    await userEvent.keyboard('{Enter}')
    expect(await screen.findByText('Older one')).toBeVisible()
    expect(screen.getByText('No icons')).toBeVisible()
    await waitFor(() =>
      expect(screen.queryByRole('button', { name: 'Older tickets' })).not.toBeInTheDocument(),
    )
    await waitFor(() => expect(screen.getByRole('list', { name: 'My tickets' })).toHaveFocus())
  })

  it.each([
    ['/profile#my-tickets', 1],
    ['/profile', 0],
  ])('at %s are scrolled to %i times', async (address, times) => {
    const scroll = vi.fn()
    Element.prototype.scrollIntoView = scroll
    visit(address)
    open()
    await screen.findByText('You have not contacted us yet.')
    expect(scroll).toHaveBeenCalledTimes(times)
  })
})
