import { fireEvent, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { HttpResponse } from 'msw'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { StaffRole } from '@/lib/api/staff-role-api'
import type {
  CannedAnswer,
  MailTrouble,
  StaffTicketMessage,
  Ticket,
  TicketDesk,
  TicketEdit,
  TicketNote,
  TicketPriority,
  TicketUpdate,
} from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet, onPost, onPut, unanswered } from '@/testing/server'
import { aTicket, idOf, inCard, numberOf, renderView, serveTickets } from '../testing'
import { fillAnswer } from './fill-answer'
import { TicketsView } from './tickets-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const colleague = { id: idOf(90), email: 'colleague@fledge.test' }
const at = '2025-08-28T10:00:00'

let ticket: Ticket & { desk: TicketDesk }
let notes: TicketNote[]
let mail_trouble: MailTrouble | null
let answers: CannedAnswer[]
let bodies: unknown[]

beforeEach(() => {
  visit('/admin')
  const desk: TicketDesk = {
    last_message_at: at,
    last_message_by: 'customer',
    waiting_since: at,
    answer_due: null,
    answered_in_time: null,
    assignee_id: null,
    assignee_email: null,
    tags: [],
  }
  ticket = { ...aTicket(1), desk }
  notes = []
  mail_trouble = null
  answers = []
  bodies = []
})

async function openDetails(role: StaffRole = 'admin', messages: StaffTicketMessage[] = []) {
  serveTickets(() => [ticket])
  onGet('/api/get-support-ticket', () => ({
    data: { ...ticket, messages, earlier: messages.length > 0, notes, history: [], mail_trouble },
  }))
  onGet('/api/get-support-desk', () => ({
    staff: [colleague],
    answers,
    notices: 'hourly' as const,
  }))
  const { unmount } = renderView(TicketsView, role)
  await userEvent.click((await inCard(1)).getByRole('button', { name: 'View Details' }))
  const element = await screen.findByRole('dialog', { name: numberOf(1) })
  await within(element).findByRole('combobox', { name: 'Assignee' })
  return { element, dialog: within(element), unmount }
}

type Dialog = Awaited<ReturnType<typeof openDetails>>['dialog']

const mayLeave = () => window.dispatchEvent(new Event('beforeunload', { cancelable: true }))

describe('what is on its way', () => {
  it.each([
    ['Admin Response', 'Send Response', '/api/update-support-ticket'],
    ['Internal note', 'Add note', '/api/add-support-note'],
  ] as const)('cannot be changed any more: %s', async (field, button, path) => {
    answers = [{ id: idOf(70), title: 'Update', body: 'Please update.' }]
    if (path === '/api/add-support-note') onPost(path, unanswered)
    else onPut(path, unanswered)
    const { dialog } = await openDetails()
    const box = dialog.getByRole('textbox', { name: field, hidden: true })
    fireEvent.change(box, { target: { value: 'Hello' } })
    expect(mayLeave()).toBe(false)
    fireEvent.click(dialog.getByRole('button', { name: button, hidden: true }))
    await waitFor(() => expect(box).toHaveAttribute('readonly'))
    if (field === 'Internal note') return
    const canned = dialog.getByRole('combobox', { name: 'Insert a canned answer' })
    await userEvent.selectOptions(canned, 'Update')
    expect(box).toHaveValue('Hello')
  })
})

describe('the work on a ticket', () => {
  it('shows why emails to the customer do not arrive', async () => {
    mail_trouble = { state: 'bounced', reason: '550 5.1.1', at }
    const { dialog, element } = await openDetails()
    expect(dialog.getByRole('alert')).toHaveTextContent(
      /^Emails to this customer do not arrive: one bounced \(550 5\.1\.1, Aug 28, 2025 \d\d:\d\d\)\.$/,
    )
    expect(await violations(element)).toEqual([])
  })

  it('is given to somebody, sorted and tagged, each saved as it is chosen', async () => {
    onPost('/api/edit-support-ticket', ({ body }) => {
      bodies.push(body)
      const { assigneeId, tags, priority, category } = body as TicketEdit
      ticket = { ...ticket, version: ticket.version + 1 }
      if (priority) ticket.priority = priority
      if (category) ticket.category = category
      if (tags) ticket.desk = { ...ticket.desk, tags }
      if (assigneeId)
        ticket.desk = { ...ticket.desk, assignee_id: colleague.id, assignee_email: colleague.email }
      return { data: ticket }
    })
    const { dialog, element } = await openDetails()
    const choose = (name: string, option: string) =>
      userEvent.selectOptions(dialog.getByRole('combobox', { name }), option)
    await dialog.findByRole('option', { name: colleague.email })
    await choose('Assignee', colleague.email)
    await choose('Set priority', 'Urgent')
    await choose('Set category', 'Billing')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Tags' }), 'crash, mac{Enter}')
    await waitFor(() =>
      expect(bodies).toEqual([
        { ticketId: idOf(1), assigneeId: colleague.id },
        { ticketId: idOf(1), priority: 'urgent' },
        { ticketId: idOf(1), category: 'billing' },
        { ticketId: idOf(1), tags: ['crash', 'mac'] },
      ]),
    )
    expect(await (await inCard(1)).findByText(colleague.email)).toBeInTheDocument()
    expect(await (await inCard(1)).findByText('#mac')).toBeInTheDocument()
    await waitFor(() =>
      expect(dialog.getByRole('textbox', { name: 'Tags' })).toHaveValue('crash mac'),
    )
    expect(await violations(element)).toEqual([])
  })

  it('shows what only a newer server knows, and what was chosen until it is saved', async () => {
    ticket = { ...ticket, priority: 'blocker' as TicketPriority }
    let answer = () => {}
    onPost('/api/edit-support-ticket', async () => {
      await new Promise<void>((resolve) => (answer = resolve))
      ticket = { ...ticket, version: ticket.version + 1, priority: 'low' }
      return { data: ticket }
    })
    const { dialog } = await openDetails()
    const priority = dialog.getByRole('combobox', { name: 'Set priority' })
    expect(priority).toHaveDisplayValue('Blocker')
    await userEvent.selectOptions(priority, 'Low')
    expect(priority).toHaveDisplayValue('Low')
    await waitFor(() => {
      answer()
      expect(dialog.queryByRole('option', { name: 'Blocker' })).not.toBeInTheDocument()
    })
    expect(priority).toHaveDisplayValue('Low')
  })

  it('takes no key that chooses a word of another script for the end of a tag', async () => {
    onPost('/api/edit-support-ticket', ({ body }) => {
      bodies.push(body)
      return { data: ticket }
    })
    const { dialog } = await openDetails()
    const tags = dialog.getByRole('textbox', { name: 'Tags' })
    await userEvent.type(tags, '故障')
    // What a browser does with this key is not to submit the form.
    fireEvent.keyDown(tags, { key: 'Enter', isComposing: true })
    expect(tags).not.toHaveAttribute('readonly')
    expect(bodies).toEqual([])
  })

  it('keeps the tags that were typed when they could not be saved', async () => {
    onPost('/api/edit-support-ticket', () => failure(503, 'Not now.'))
    const first = await openDetails()
    await userEvent.type(first.dialog.getByRole('textbox', { name: 'Tags' }), 'crash{Enter}')
    expect(await first.dialog.findByText('Not now.')).toBeVisible()
    first.unmount()
    const { dialog } = await openDetails()
    const tags = dialog.getByRole('textbox', { name: 'Tags' })
    expect(tags).toHaveValue('crash')
    expect(tags).toHaveAccessibleDescription('Not saved. Press Enter to save.')
  })

  it("keeps a colleague's tags, and what is typed when they are loaded", async () => {
    onPost('/api/edit-support-ticket', ({ body }) => {
      bodies.push(body)
      const { tags = [] } = body as TicketEdit
      ticket = { ...ticket, version: ticket.version + 1, desk: { ...ticket.desk, tags } }
      return { data: ticket }
    })
    const tagged = (...tags: string[]) => {
      ticket = { ...ticket, version: ticket.version + 1, desk: { ...ticket.desk, tags } }
    }
    tagged('old')
    const { dialog } = await openDetails()
    const tags = dialog.getByRole('textbox', { name: 'Tags' })
    tagged('crash', 'old')
    await userEvent.clear(tags)
    await userEvent.type(tags, 'vip{Enter}')
    await waitFor(() => expect(tags).toHaveValue('crash vip'))
    expect(bodies).toEqual([{ ticketId: idOf(1), tags: ['crash', 'vip'] }])

    fireEvent.change(tags, { target: { value: 'crash mac ' } })
    tagged('crash', 'late', 'vip')
    onPost('/api/view-support-ticket', () => ({ version: ticket.version, others: [] }))
    const response = dialog.getByRole('textbox', { name: 'Admin Response' })
    fireEvent.change(response, { target: { value: 'Hello' } }) // whoever writes asks at once
    await waitFor(() => expect(tags).toHaveValue('crash late mac '))
    expect(tags).toHaveAccessibleDescription('Not saved. Press Enter to save.')
    expect(await dialog.findByRole('alert')).toHaveTextContent('This ticket has changed')
  })

  it('sends tags once, which do not change meanwhile, and forgets the draft of a closed ticket', async () => {
    let answer = () => {}
    onPost('/api/edit-support-ticket', async ({ body }) => {
      bodies.push(body)
      await new Promise<void>((resolve) => (answer = resolve))
      ticket = { ...ticket, version: ticket.version + 1 }
      ticket.desk = { ...ticket.desk, tags: ['crash'] }
      return { data: ticket }
    })
    const { dialog } = await openDetails()
    const tags = dialog.getByRole('textbox', { name: 'Tags' })
    await userEvent.type(tags, 'crash{Enter}')
    await waitFor(() => expect(tags).toHaveAttribute('readonly'))
    expect(tags).toHaveAccessibleDescription('Saving...')
    await userEvent.click(dialog.getByRole('button', { name: 'Close' }))
    expect(Object.keys({ ...sessionStorage })).toContainEqual(
      expect.stringContaining('ticket-tags'),
    )
    answer()
    await waitFor(() =>
      expect(Object.keys({ ...sessionStorage }).join()).not.toContain('ticket-tags'),
    )
    expect(bodies).toEqual([{ ticketId: idOf(1), tags: ['crash'] }])
  })

  it('shows what was chosen last, also when the ticket cannot be loaded again', async () => {
    const waiting: (() => void)[] = []
    onPost('/api/edit-support-ticket', async ({ body }) => {
      const { priority = 'low' } = body as TicketEdit
      await new Promise<void>((resolve) => waiting.push(resolve))
      ticket = { ...ticket, version: ticket.version + 1, priority }
      return { data: ticket }
    })
    const { dialog } = await openDetails()
    onGet('/api/get-support-ticket', () => failure(403, 'Not now.'))
    const priority = dialog.getByRole('combobox', { name: 'Set priority' })
    for (const value of ['low', 'high', 'low']) {
      await userEvent.selectOptions(priority, value)
      expect(priority).toHaveValue(value)
    }
    for (const sent of [1, 2, 3]) {
      await waitFor(() => expect(waiting).toHaveLength(3))
      waiting[sent - 1]?.()
      await waitFor(() => expect(ticket.version).toBe(aTicket(1).version + sent))
      expect(priority).toHaveValue('low')
    }
    expect(await dialog.findByText('Not now.')).toBeVisible()
    expect(priority).toHaveValue('low')
  })

  it('leaves an answer at the version whose messages are shown', async () => {
    onPost('/api/edit-support-ticket', () => ({
      data: { ...ticket, version: ticket.version + 2, priority: 'low' as const },
    }))
    onPut('/api/update-support-ticket', ({ body }) => {
      bodies.push(body)
      return unanswered()
    })
    const { dialog } = await openDetails()
    onGet('/api/get-support-ticket', () => failure(403, 'Not now.'))
    const priority = dialog.getByRole('combobox', { name: 'Set priority' })
    await userEvent.selectOptions(priority, 'low')
    expect(await dialog.findByText('Not now.')).toBeVisible()
    expect(priority).toHaveValue('low')
    await userEvent.type(dialog.getByRole('textbox', { name: 'Admin Response' }), 'Hello')
    await userEvent.click(dialog.getByRole('button', { name: 'Send Response' }))
    await waitFor(() => expect(bodies).toMatchObject([{ version: ticket.version }]))
  })

  describe('and a decision at once', () => {
    const edits = {
      'a priority': (dialog: Dialog) =>
        userEvent.selectOptions(dialog.getByRole('combobox', { name: 'Set priority' }), 'Low'),
      'tags that are left': (dialog: Dialog) =>
        userEvent.type(dialog.getByRole('textbox', { name: 'Tags' }), 'crash'),
    }

    /** Edits the ticket and resolves it while the edit is on its way, which others have made `theirs` of before. */
    async function decideAtOnce(edit: keyof typeof edits, theirs: Partial<Ticket> | null) {
      let answer = () => {}
      onPost('/api/edit-support-ticket', async ({ body }) => {
        await new Promise<void>((resolve) => (answer = resolve))
        const { priority = ticket.priority } = body as TicketEdit
        ticket = { ...ticket, ...theirs, priority, version: ticket.version + (theirs ? 2 : 1) }
        return { data: ticket }
      })
      onPut('/api/update-support-ticket', ({ body }) => {
        const { version } = body as TicketUpdate
        bodies.push(version)
        if (version === ticket.version) return { data: ticket }
        const stale = { error: 'Changed.', code: 'stale_ticket', current: ticket }
        return HttpResponse.json(stale, { status: 409 })
      })
      const { dialog, element } = await openDetails()
      await edits[edit](dialog)
      await userEvent.click(dialog.getByRole('button', { name: '✓ Mark Resolved' }))
      const pressed = dialog.getByRole('button', { name: 'Close Ticket' })
      await waitFor(() => expect(pressed).toHaveAttribute('aria-disabled', 'true'))
      answer()
      return { dialog, element }
    }

    it.each(['a priority', 'tags that are left'] as const)('go together: %s', async (edit) => {
      const { element } = await decideAtOnce(edit, null)
      await waitFor(() => expect(element).not.toBeVisible())
      expect(bodies).toEqual([2])
    })

    it.each(['a priority', 'tags that are left'] as const)(
      "are refused after somebody else's change, which alone is told: %s",
      async (edit) => {
        const { dialog } = await decideAtOnce(edit, { category: 'billing' })
        expect(await dialog.findByRole('alert')).toHaveTextContent(
          'This ticket has changed: category technical support → billing.',
        )
        expect(bodies).toEqual([1])
      },
    )
  })

  it('that cannot be changed says so, and shows what it is', async () => {
    onPost('/api/edit-support-ticket', () => failure(503, 'Not now.'))
    const { dialog } = await openDetails()
    const priority = dialog.getByRole('combobox', { name: 'Set priority' })
    await userEvent.selectOptions(priority, 'Urgent')
    expect(await dialog.findByText('Not now.')).toBeVisible()
    expect(priority).toHaveValue('medium')
  })
})

describe('the first answer', () => {
  it.each([
    [{ answer_due: '2125-08-28T14:00:00' }, 'Answer due Aug 28, 2125 14:00'],
    [{ answer_due: '2025-08-28T14:00:00' }, 'Answer overdue since Aug 28, 2025 14:00'],
    [{ answered_in_time: true }, 'Answered in time'],
    [{ answered_in_time: false }, 'Answered late'],
  ])('is due, or was in time or late: %o', async (desk, said) => {
    ticket = { ...ticket, desk: { ...ticket.desk, ...desk } }
    const { dialog } = await openDetails()
    expect(dialog.getByText('First answer').nextElementSibling).toHaveTextContent(said)
  })

  it('is not spoken of without a target', async () => {
    const { dialog } = await openDetails()
    expect(dialog.queryByText('First answer')).not.toBeInTheDocument()
  })
})

describe('a note', () => {
  it('is added for staff', async () => {
    onPost('/api/add-support-note', ({ body }) => {
      bodies.push(body)
      const note = { id: idOf(80), created_at: at, author_email: 'admin@fledge.test', body: 'VIP' }
      notes = [note]
      return { data: note }
    })
    const { dialog } = await openDetails()
    await userEvent.click(dialog.getByText('Add an internal note'))
    const field = dialog.getByRole('textbox', { name: 'Internal note' })
    await userEvent.type(field, ' VIP ')
    await userEvent.click(dialog.getByRole('button', { name: 'Add note' }))
    const list = await dialog.findByRole('list', { name: 'Internal notes' })
    expect(list).toHaveTextContent('Note by admin@fledge.testAug 28, 2025 10:00VIP')
    expect(bodies).toEqual([{ ticketId: idOf(1), note: 'VIP' }])
    await waitFor(() => expect(field).toHaveValue(''))
  })
})

describe('canned answers', () => {
  it('go into the response with their placeholders filled', async () => {
    answers = [{ id: idOf(70), title: 'Update', body: 'Hi {{name}}, please update.' }]
    const { dialog } = await openDetails('moderator')
    await dialog.findByRole('option', { name: 'Update' })
    const response = dialog.getByRole('textbox', { name: 'Admin Response' })
    await userEvent.type(response, 'Thank you.')
    const canned = dialog.getByRole('combobox', { name: 'Insert a canned answer' })
    await userEvent.selectOptions(canned, 'Update')
    expect(response).toHaveValue('Thank you.\n\nHi person-1, please update.')
    expect(dialog.queryByRole('button', { name: 'Canned answers' })).not.toBeInTheDocument()
  })

  it('that are half written outlast a reload, which the browser asks about', async () => {
    const open = async () => {
      const { dialog, unmount } = await openDetails()
      await userEvent.click(dialog.getByRole('button', { name: 'Canned answers' }))
      const manage = within(await screen.findByRole('dialog', { name: 'Canned answers' }))
      return { manage, text: manage.getByRole('textbox', { name: 'Text' }), unmount }
    }
    const first = await open()
    expect(mayLeave()).toBe(true)
    await userEvent.type(first.text, 'Please')
    expect(mayLeave()).toBe(false)
    await userEvent.click(first.manage.getByRole('button', { name: 'Close' }))
    expect(mayLeave()).toBe(true)
    first.unmount()
    expect(mayLeave()).toBe(true)
    expect((await open()).text).toHaveValue('Please')
  })

  it('that are typed are dropped only after a question', async () => {
    answers = [{ id: idOf(70), title: 'Update', body: 'Please update.' }]
    const { dialog } = await openDetails()
    await userEvent.click(dialog.getByRole('button', { name: 'Canned answers' }))
    const manage = within(await screen.findByRole('dialog', { name: 'Canned answers' }))
    const text = manage.getByRole('textbox', { name: 'Text' })
    await userEvent.type(text, 'Half a sen')
    const edit = async (choice: string) => {
      await userEvent.click(await manage.findByRole('button', { name: 'Edit Update' }))
      const asked = await screen.findByRole('alertdialog', { name: 'Drop what you have typed?' })
      await userEvent.click(within(asked).getByRole('button', { name: choice }))
    }
    await edit('Cancel')
    expect(text).toHaveValue('Half a sen')
    await edit('Drop')
    expect(text).toHaveValue('Please update.')
  })

  it('that are typed stay when their answer cannot be deleted', async () => {
    answers = [{ id: idOf(70), title: 'Update', body: 'Please update.' }]
    onPost('/api/delete-canned-answer', () => failure(503, 'Later.'))
    const { dialog } = await openDetails()
    await userEvent.click(dialog.getByRole('button', { name: 'Canned answers' }))
    const manage = within(await screen.findByRole('dialog', { name: 'Canned answers' }))
    const text = manage.getByRole('textbox', { name: 'Text' })
    const remove = async () => {
      await userEvent.click(manage.getByRole('button', { name: 'Delete Update' }))
      const asked = await screen.findByRole('alertdialog', { name: 'Delete Update?' })
      await userEvent.click(within(asked).getByRole('button', { name: 'Delete' }))
    }
    await userEvent.click(await manage.findByRole('button', { name: 'Edit Update' }))
    await userEvent.type(text, ' Soon.')
    await remove()
    expect(await manage.findByText('Later.')).toBeVisible()
    expect(text).toHaveValue('Please update. Soon.')
    onPost('/api/delete-canned-answer', () => ({ deleted: true as const }))
    await remove()
    await waitFor(() => expect(text).toHaveValue(''))
  })

  it('leave what they do not know for staff to see', () => {
    const subject = 'No {{email}}'
    expect(
      fillAnswer('{{ ticket }} {{subject}} {{version}} {{toString}}', { ...ticket, subject }),
    ).toBe('TKT-000001 No {{email}} {{version}} {{toString}}')
    expect(fillAnswer('About {{subject}}:', { ...ticket, subject: null })).toBe('About TKT-000001:')
  })

  it('are added, changed and deleted by admins', async () => {
    onPost('/api/save-canned-answer', ({ body }) => {
      bodies.push(body)
      answers = [{ id: idOf(70), title: 'Update', body: 'Please update.' }]
      return { data: answers[0]! }
    })
    onPost('/api/delete-canned-answer', ({ body }) => {
      bodies.push(body)
      answers = []
      return { deleted: true as const }
    })
    const { dialog } = await openDetails()
    await userEvent.click(dialog.getByRole('button', { name: 'Canned answers' }))
    const manage = within(await screen.findByRole('dialog', { name: 'Canned answers' }))
    await userEvent.type(manage.getByRole('textbox', { name: 'Title' }), 'Update')
    await userEvent.type(manage.getByRole('textbox', { name: 'Text' }), 'Please update.')
    await userEvent.click(manage.getByRole('button', { name: 'Add answer' }))
    await userEvent.click(await manage.findByRole('button', { name: 'Edit Update' }))
    expect(mayLeave()).toBe(true)
    await userEvent.click(manage.getByRole('button', { name: 'Save answer' }))
    await waitFor(() => expect(manage.getByRole('textbox', { name: 'Title' })).toHaveValue(''))
    const askToDelete = async () => {
      await userEvent.click(manage.getByRole('button', { name: 'Delete Update' }))
      return within(await screen.findByRole('alertdialog', { name: 'Delete Update?' }))
    }
    await userEvent.click((await askToDelete()).getByRole('button', { name: 'Cancel' }))
    expect(bodies).toHaveLength(2)
    await userEvent.click((await askToDelete()).getByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(manage.queryByText('Update')).not.toBeInTheDocument())
    expect(bodies).toEqual([
      { title: 'Update', body: 'Please update.' },
      { id: idOf(70), title: 'Update', body: 'Please update.' },
      { id: idOf(70) },
    ])
    // Neither dialog took the one that it was opened in with it.
    await userEvent.click(manage.getByRole('button', { name: 'Close' }))
    expect(dialog.getByRole('textbox', { name: 'Admin Response' })).toBeVisible()
  })
})

describe('a long thread', () => {
  it('loads what was written before', async () => {
    const message = (n: number): StaffTicketMessage => ({
      id: idOf(n),
      author: 'customer',
      author_email: 'person-1@fledge.test',
      body: `Message number ${n}`,
      created_at: at,
    })
    let messages: StaffTicketMessage[] = [null as never]
    onGet('/api/get-earlier-support-messages', ({ url }) => {
      bodies.push(url.search)
      return { messages, earlier: false }
    })
    const { dialog } = await openDetails('admin', [message(52)])
    const more = dialog.getByRole('button', { name: 'Load earlier messages' })
    await userEvent.click(more)
    expect(await dialog.findByText('Failed to load earlier messages')).toBeVisible()
    messages = [message(51)]
    await userEvent.click(more)
    const thread = dialog.getByRole('list', { name: 'Conversation' })
    await waitFor(() => expect(thread).toHaveTextContent(/number 51.*number 52/))
    expect(more).not.toBeInTheDocument()
    expect(bodies.at(-1)).toBe(`?id=${idOf(1)}&before=${idOf(52)}`)
  })
})
