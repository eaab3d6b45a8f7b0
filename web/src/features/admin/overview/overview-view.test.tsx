import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import type { AdminStats, TicketWeek } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { failure, onGet } from '@/testing/server'
import { renderView } from '../testing'
import { OverviewView } from './overview-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const days = Array.from({ length: 30 }, (_, n) => new Date(Date.UTC(2026, 9, 1 + n))).map((date) =>
  date.toISOString().slice(0, 10),
)

function week(
  monday: string,
  category: TicketWeek['category'],
  tickets: number,
  half: number,
  most: number,
): TicketWeek {
  return {
    week: monday,
    category,
    tickets,
    p50_seconds: half * 3600,
    p90_seconds: most * 3600,
  }
}

function someStats(): AdminStats {
  return {
    waitlist: {
      total: 1500,
      pending: 1204,
      approved: 290,
      rejected: 6,
      invitations: {
        approved: 40,
        opened: 31,
        signed_in: 22,
        downloaded: 17,
        reminded: 9,
        expired: 2,
      },
      days: days.map((day, n) => ({ day, sign_ups: n === 3 ? 40 : 2, approvals: n === 5 ? 1 : 0 })),
    },
    tickets: {
      open: { urgent: 2, high: 0, medium: 5, low: 1 },
      backlog: [
        { category: 'bug', day: 3, week: 1, older: 0 },
        { category: 'billing', day: 1, week: 1, older: 2 },
      ],
      first_answer_seconds: 3 * 3600,
      resolve_seconds: null,
      first_answer_weeks: [
        week('2026-10-05', null, 4, 2, 30),
        week('2026-10-05', 'bug', 4, 2, 30),
        week('2026-10-19', null, 10, 3, 72),
        week('2026-10-19', 'billing', 2, 1, 5),
        week('2026-10-19', 'bug', 8, 4, 80),
      ],
      resolve_weeks: [],
      days: days.map((day) => ({ day, created: 1, resolved: 1 })),
    },
    subscriptions: {
      active: 12,
      cancelled: 3,
      past_due: 1,
      cases: 0,
      differences: 0,
      plans: [
        { name: 'Pro', active: 9 },
        { name: 'Business', active: 3 },
      ],
    },
    credits: { spent: 120.5, days: days.map((day, n) => ({ day, spent: n === 0 ? 120.5 : 0 })) },
    downloads: {
      total: 77,
      days: days.map((day) => ({ day, total: 0 })),
      versions: [{ version: '1.2.0', total: 77 }],
    },
  }
}

const panel = async (name: string) => within(await screen.findByRole('region', { name }))

function numberOf(name: string): string | null {
  const term = screen.getAllByText(name).find(({ tagName }) => tagName === 'DT')
  return term?.nextElementSibling?.textContent ?? null
}

describe('the overview', () => {
  it('shows the numbers and draws the last 30 days', async () => {
    onGet('/api/get-admin-stats', someStats)
    const { container } = renderView(OverviewView)
    const signUps = await panel('Sign-ups')
    expect(signUps.getByText('98 sign-ups in 30 days')).toBeVisible()
    expect(signUps.getByRole('img', { name: /most on Oct 4: 40/ })).toBeVisible()
    expect(numberOf('Waiting for approval')).toBe('1,204')
    expect(numberOf('Open tickets')).toBe('8')
    expect(numberOf('Active subscriptions')).toBe('12')
    expect(numberOf('Credits spent, 30 days')).toBe('120.50')
    expect(numberOf('Downloads, all time')).toBe('77')
    expect((await panel('Approvals')).getByText('1 approval in 30 days')).toBeVisible()
    const urgent = (await panel('Open tickets by priority')).getAllByRole('listitem')[0]
    expect(urgent).toHaveTextContent('Urgent2')
    const ages = (await panel('Open tickets by age')).getAllByRole('listitem')
    expect(ages.map(({ textContent }) => textContent)).toEqual([
      'Up to a day4',
      'Up to a week2',
      'Older2',
    ])
    const billing = (await panel('Open tickets by category')).getAllByRole('listitem')[1]
    expect(billing).toHaveTextContent('Billing4')
    const times = await panel('Response times')
    expect(times.getByText('First response: 3 h')).toBeVisible()
    expect(times.getByText('Until resolved: –')).toBeVisible()
    const subscriptions = await panel('Subscriptions')
    expect(subscriptions.getByText(/1 with an overdue payment, 3 ending/)).toBeVisible()
    expect((await panel('Downloads')).getByText('No downloads in the last 30 days.')).toBeVisible()
    expect((await panel('Downloads by version')).getByText('v1.2.0')).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('says of which time its numbers are', async () => {
    const stats = someStats()
    onGet('/api/get-admin-stats', () => ({
      ...stats,
      waitlist: {
        ...stats.waitlist!,
        days: days.map((day) => ({ day, sign_ups: 0, approvals: 0 })),
      },
    }))
    renderView(OverviewView)
    const signUps = await screen.findByRole('region', { name: 'Sign-ups' })
    await screen.findByText('Now, and in total')
    expect(signUps).toHaveTextContent('No sign-ups in the last 30 days.')
    const after = (text: string) =>
      screen.getByText(text).compareDocumentPosition(signUps) === Node.DOCUMENT_POSITION_FOLLOWING
    expect(after('The last 30 days, in UTC')).toBe(true)
    expect(after('Downloads, all time')).toBe(true)
    expect(after('Now, and in total')).toBe(false)
  })

  it('has a chart also as a table', async () => {
    onGet('/api/get-admin-stats', someStats)
    renderView(OverviewView)
    const credits = await panel('Credits spent')
    await userEvent.click(credits.getByText('Show as a table'))
    const table = await credits.findByRole('table', { name: 'Credits spent by day' })
    expect(within(table).getAllByRole('row')).toHaveLength(2)
    expect(within(table).getByRole('row', { name: 'Oct 1 120.50' })).toBeVisible()
  })

  it('draws how long tickets take, week by week and by category', async () => {
    onGet('/api/get-admin-stats', someStats)
    renderView(OverviewView)
    const answers = await panel('First response by week')
    expect(answers.getByText('14 tickets in 3 weeks')).toBeVisible()
    expect(answers.getByRole('img', { name: /most in the week of Oct 19: 3 days$/ })).toBeVisible()
    const category = answers.getByRole('combobox', { name: 'Category: First response by week' })
    await userEvent.selectOptions(category, 'Bug')
    expect(answers.getByRole('img', { name: /, Bug: 12 tickets in 3 weeks/ })).toBeVisible()
    await userEvent.click(answers.getByText('Show as a table'))
    const table = await answers.findByRole('table', { name: 'First response by week, Bug' })
    const rows = within(table).getAllByRole('row')
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      'Week ofTicketsHalf within9 of 10 within',
      'Oct 542 h30 h',
      'Oct 1984 h3 days',
    ])
    expect(
      (await panel('Time to resolve by week')).getByText(/^No ticket was resolved/),
    ).toBeVisible()
  })

  it.each([
    [
      'First response by week',
      'first-response-by-week.csv',
      [
        'week,category,tickets,p50_seconds,p90_seconds',
        '2026-10-05,all,4,7200,108000',
        '2026-10-05,bug,4,7200,108000',
        '2026-10-19,all,10,10800,259200',
        '2026-10-19,billing,2,3600,18000',
        '2026-10-19,bug,8,14400,288000',
      ],
    ],
    [
      'Open tickets by category and age',
      'open-tickets.csv',
      ['category,up_to_a_day,up_to_a_week,older', 'bug,3,1,0', 'billing,1,1,2'],
    ],
  ])('saves %s as a file', async (title, name, lines) => {
    onGet('/api/get-admin-stats', someStats)
    const names: string[] = []
    const files: Blob[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(
      this: HTMLAnchorElement,
    ) {
      names.push(this.download)
    })
    URL.createObjectURL = vi.fn((file: Blob) => `blob:${files.push(file)}`)
    URL.revokeObjectURL = vi.fn()
    renderView(OverviewView)
    await userEvent.click(await screen.findByRole('button', { name: `Export CSV: ${title}` }))
    expect(names).toEqual([name])
    const text = await new Promise((resolve) => {
      const reader = new FileReader()
      reader.onload = () => resolve(reader.result)
      reader.readAsText(files[0]!)
    })
    expect(String(text).split('\r\n')).toEqual([...lines, ''])
  })

  it('says which figures are missing while a service is down', async () => {
    onGet('/api/get-admin-stats', () => ({ ...someStats(), tickets: null, credits: null }))
    renderView(OverviewView)
    const tickets = await panel('Open tickets by priority')
    expect(tickets.getByText('These statistics are not available right now.')).toBeVisible()
    expect(numberOf('Open tickets')).toBe('–')
    expect(numberOf('Credits spent, 30 days')).toBe('–')
    expect(numberOf('Active subscriptions')).toBe('12')
  })

  it('says why it shows nothing, and tries again', async () => {
    onGet('/api/get-admin-stats', () => failure(403, 'Only admins may do this.'))
    const { container } = renderView(OverviewView)
    expect(await screen.findByRole('alert')).toHaveTextContent('Only admins may do this.')
    expect(await violations(container)).toEqual([])
    onGet('/api/get-admin-stats', someStats)
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
    expect(await screen.findByText('98 sign-ups in 30 days')).toBeVisible()
    await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument())
  })
})

it('shows what became of invitations', async () => {
  onGet('/api/get-admin-stats', someStats)
  renderView(OverviewView)
  const rows = await screen.findByRole('list', { name: 'Invitations' })
  expect(rows).toHaveTextContent(
    'Approved40Opened the link31Signed in22Downloaded17Reminded9Expired2',
  )
})

describe('what makes no sense', () => {
  it.each(['null', '7', '"many"', 'true'])('as a whole is said to be so: %s', async (answer) => {
    onGet('/api/get-admin-stats', () => new Response(answer))
    renderView(OverviewView)
    expect(await screen.findByRole('alert')).toHaveTextContent('Failed to fetch statistics')
    expect(screen.getByRole('button', { name: 'Refresh' })).toBeVisible()
  })

  it.each([
    ['waitlist', 'Sign-ups', 'Waiting for approval'],
    ['tickets', 'Open tickets by priority', 'Open tickets'],
    ['subscriptions', 'Subscriptions', 'Active subscriptions'],
    ['credits', 'Credits spent', 'Credits spent, 30 days'],
    ['downloads', 'Downloads by version', 'Downloads, all time'],
  ])('in the place of %s fails %s alone', async (part, title, headline) => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const figures = () => screen.getAllByRole('definition').map((figure) => figure.textContent)
    onGet('/api/get-admin-stats', someStats)
    renderView(OverviewView)
    await panel(title)
    const usual = figures()
    for (const wrong of [undefined, 'many', {}, []]) {
      onGet('/api/get-admin-stats', () => ({ ...someStats(), [part]: wrong }) as AdminStats)
      await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
      await waitFor(() => expect(numberOf(headline)).toBe('–'))
      expect(figures().filter((figure) => figure === '–')).toHaveLength(1)
      const message = /^(These statistics are not available right now|This part of the page could)/
      await waitFor(async () => expect((await panel(title)).getByText(message)).toBeVisible())
      expect(screen.queryByText('Failed to fetch statistics')).not.toBeInTheDocument()
      onGet('/api/get-admin-stats', someStats)
      await userEvent.click(screen.getByRole('button', { name: 'Refresh' }))
      await waitFor(() => expect(figures()).toEqual(usual))
    }
  })

  it('takes only its own card and number away', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const stats = { ...someStats(), tickets: {} as never, credits: { spent: 'much' } as never }
    onGet('/api/get-admin-stats', () => stats)
    renderView(OverviewView)
    const failed = 'This part of the page could not be shown.'
    expect((await panel('Credits spent')).getByRole('alert')).toHaveTextContent(failed)
    expect((await panel('Open tickets by priority')).getByRole('alert')).toHaveTextContent(failed)
    expect((await panel('Subscriptions')).getByText('Business')).toBeVisible()
    expect(numberOf('Open tickets')).toBe('–')
    expect(numberOf('Waiting for approval')).toBe('1,204')
  })

  it('is shown as it is when it is only not known: a priority', async () => {
    const stats = someStats()
    Object.assign(stats.tickets!.open, { waiting_for_us: 4 })
    onGet('/api/get-admin-stats', () => stats)
    renderView(OverviewView)
    const rows = (await panel('Open tickets by priority')).getAllByRole('listitem')
    expect(rows.map((row) => row.textContent)).toEqual([
      'Urgent2',
      'High0',
      'Medium5',
      'Low1',
      'Waiting for us4',
    ])
    expect(numberOf('Open tickets')).toBe('12')
  })

  it('tells of what billing needs somebody for', async () => {
    const stats = someStats()
    onGet('/api/get-admin-stats', () => ({
      ...stats,
      subscriptions: { ...stats.subscriptions!, cases: 2, differences: 1 },
    }))
    renderView(OverviewView)
    expect(
      await screen.findByText(/2 cases wait for a decision, 1 setting at Stripe must be changed/),
    ).toBeVisible()
    expect(screen.getByRole('link', { name: 'Open Billing' })).toHaveAttribute(
      'href',
      '/admin?tab=billing',
    )
  })

  it('says nothing of billing while it needs nobody', async () => {
    onGet('/api/get-admin-stats', someStats)
    renderView(OverviewView)
    await panel('Sign-ups')
    expect(screen.queryByText(/^Billing:/)).toBeNull()
  })
})
