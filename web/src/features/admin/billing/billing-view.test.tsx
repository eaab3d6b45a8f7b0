import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { BillingCase, Finances } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet, onPost } from '@/testing/server'
import { idOf, renderView } from '../testing'
import { BillingView } from './billing-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const invoice: BillingCase = {
  object: 'in_1',
  reason: 'odd_invoice',
  userId: idOf(1),
  since: '2026-11-20T08:00:00Z',
  events: 3,
  stripeUrl: 'https://dashboard.stripe.com/invoices/in_1',
  grantable: true,
}
/** Whose this is nobody knows, and it was found without an event. */
const stray: BillingCase = {
  ...invoice,
  object: 'sub_9',
  reason: 'unknown_customer',
  userId: null,
  events: 0,
  stripeUrl: null,
  grantable: false,
}

let finances: Finances
let cases: BillingCase[]
let sent: unknown[]

beforeEach(() => {
  visit('/admin?tab=billing')
  cases = [invoice, stray]
  sent = []
  finances = {
    subscriptions: [
      {
        plan: 'Pro',
        priceId: 'price_2',
        status: 'active',
        monthly: { amount: 29, currency: 'usd' },
        subscriptions: 9,
      },
      { plan: 'Pro', priceId: 'price_1', status: 'past_due', monthly: null, subscriptions: 1 },
    ],
    monthlyRevenue: [
      { amount: 50, currency: 'eur' },
      { amount: 1261, currency: 'usd' },
    ],
    had: 10,
    lost: 2,
    credits: { granted: 500, spent: 120.5, expired: 30, withdrawn: 0, adjusted: 0 },
    outstanding: 349.5,
    owed: 3.25,
    owing: [
      { userId: idOf(2), owed: 3.25, disputes: 1 },
      { userId: idOf(3), owed: 0, disputes: 2 },
    ],
    differences: ['No webhook endpoint leads to https://fledge.test/api/stripe-webhook.'],
  }
  onGet('/api/get-finances', () => finances)
  onGet('/api/get-billing-cases', () => ({ data: cases, total: cases.length }))
  onPost('/api/decide-billing-case', ({ body }) => {
    sent.push(body)
    cases = cases.slice(1)
    return null
  })
})

const region = async (name: string) => within(await screen.findByRole('region', { name }))
const figure = async (name: string) => (await screen.findByText(name)).nextElementSibling

async function decide(button: string, credits?: string) {
  await userEvent.click(await screen.findByRole('button', { name: button }))
  const dialog = within(await screen.findByRole('dialog'))
  const confirm = dialog.getByRole('button', { name: button.split(':')[0]! })
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'paid twice')
  if (credits !== undefined) {
    expect(confirm).toBeDisabled()
    await userEvent.type(dialog.getByRole('textbox', { name: 'Credits' }), credits)
  }
  return { dialog, confirm }
}

describe('billing', () => {
  it('shows what is sold and earned, and what differs at Stripe', async () => {
    const { container } = renderView(BillingView)
    await waitFor(async () =>
      expect(await figure('Monthly revenue')).toHaveTextContent('€50.00 + $1,261.00'),
    )
    expect(await figure('Subscribers lost, 30 days')).toHaveTextContent('2 of 10')
    expect(await figure('Credits outstanding')).toHaveTextContent('349.50')
    const rows = (await region('Subscriptions')).getAllByRole('row').map((row) => row.textContent)
    expect(rows.slice(1)).toEqual(['Proprice_2Active$29.009', 'Proprice_1Past dueNot known yet1'])
    expect(
      (await region("Stripe's settings")).getByText(/^No webhook endpoint leads to/),
    ).toBeVisible()
    const list = await region('Waiting for a decision')
    expect(list.getByText('Its lines contradict each other')).toBeVisible()
    expect(list.getByRole('link', { name: 'Person' })).toHaveAttribute(
      'href',
      `/admin?tab=users&person=${idOf(1)}`,
    )
    const paidBack = await region('Paid back')
    expect(paidBack.getAllByRole('listitem').map((one) => one.textContent)).toEqual([
      '3.25 credits · 1 disputedPerson',
      '0.00 credits · 2 disputedPerson',
    ])
    expect(paidBack.getByText(/are written off/)).toBeVisible()
    expect(await violations(container)).toEqual([])
  })

  it('marks people whose accounts may not be used', async () => {
    cases = [{ ...invoice, userState: 'deleting' }, stray]
    finances.owing = [
      { userId: idOf(2), owed: 3.25, disputes: 1, userState: 'disabled' },
      { userId: idOf(3), owed: 0, disputes: 2 },
    ]
    renderView(BillingView)
    const waiting = await region('Waiting for a decision')
    await waitFor(() => expect(waiting.getAllByText('Deleting')).toHaveLength(1))
    const owing = (await region('Paid back')).getAllByRole('listitem')
    expect(owing.map((one) => within(one).queryByText('Disabled') !== null)).toEqual([true, false])
  })

  it('says so when nothing waits and nothing differs', async () => {
    cases = []
    finances = { ...finances, subscriptions: [], monthlyRevenue: [], owing: [], differences: [] }
    renderView(BillingView)
    expect(await screen.findByText('Nothing waits for you.')).toBeVisible()
    expect(await screen.findByText('Nothing differs from what billing needs.')).toBeVisible()
    expect(await screen.findByText('No subscribers yet.')).toBeVisible()
    expect(await screen.findByText('No payment has gone back.')).toBeVisible()
    expect(await figure('Monthly revenue')).toHaveTextContent('$0.00')
  })

  it('gives credits for a case, with a reason', async () => {
    renderView(BillingView)
    const { confirm } = await decide('Give credits: in_1', '-5')
    expect(confirm).toBeDisabled()
    await userEvent.clear(screen.getByRole('textbox', { name: 'Credits' }))
    await userEvent.type(screen.getByRole('textbox', { name: 'Credits' }), '12.5')
    await userEvent.click(confirm)
    await waitFor(() => expect(screen.queryByText('Its lines contradict each other')).toBeNull())
    expect(sent).toEqual([
      {
        object: 'in_1',
        decision: 'grant',
        amount: 12.5,
        reason: 'paid twice',
        seenReason: 'odd_invoice',
      },
    ])
  })

  it.each([
    ['Accept', 'accept'],
    ['Ignore', 'ignore'],
    ['Try again', 'retry'],
  ])('decides: %s', async (button, decision) => {
    renderView(BillingView)
    const { confirm } = await decide(`${button}: in_1`)
    await userEvent.click(confirm)
    await waitFor(() => expect(screen.queryByText('Its lines contradict each other')).toBeNull())
    expect(sent).toEqual([
      { object: 'in_1', decision, reason: 'paid twice', seenReason: 'odd_invoice' },
    ])
  })

  it('offers only what can be done about a case', async () => {
    cases = [...cases, { ...invoice, object: 'in_2', grantable: false }]
    renderView(BillingView)
    expect(await screen.findByRole('button', { name: 'Accept: sub_9' })).toBeVisible()
    expect(screen.getByRole('button', { name: 'Give credits: in_1' })).toBeVisible()
    for (const object of ['sub_9', 'in_2'])
      expect(screen.queryByRole('button', { name: `Give credits: ${object}` })).toBeNull()
    expect(screen.queryByRole('button', { name: 'Try again: sub_9' })).toBeNull()
  })

  it('says why a decision was refused, and keeps the reason', async () => {
    onPost('/api/decide-billing-case', () => failure(409, 'This was decided otherwise before.'))
    renderView(BillingView)
    const { dialog, confirm } = await decide('Accept: in_1')
    await userEvent.click(confirm)
    expect(await dialog.findByText('This was decided otherwise before.')).toBeVisible()
    expect(dialog.getByRole('textbox', { name: 'Reason' })).toHaveValue('paid twice')
  })

  it('decides about the reason that was shown when the dialog opened, however often', async () => {
    onPost('/api/decide-billing-case', ({ body }) => {
      sent.push(body)
      cases = cases.map((one) => ({ ...one, reason: 'unknown_price' }))
      return failure(409, 'This waits for a decision for another reason now.')
    })
    renderView(BillingView)
    const { dialog, confirm } = await decide('Accept: in_1')
    await userEvent.click(confirm)
    expect(await dialog.findByText(/for another reason now/)).toBeVisible()
    await waitFor(() => expect(screen.queryByText('Its lines contradict each other')).toBeNull())
    await userEvent.click(confirm)
    await waitFor(() => expect(sent).toHaveLength(2))
    expect(sent[1]).toMatchObject({ object: 'in_1', seenReason: 'odd_invoice' })
  })

  it('saves a month for the books', async () => {
    const asked: string[] = []
    onGet('/api/export-month-end', ({ url }) => {
      asked.push(url.search)
      return failure(503, 'Payments are not available right now.')
    })
    renderView(BillingView)
    const month = await screen.findByRole('combobox', { name: 'Month' })
    const [, last] = within(month).getAllByRole('option')
    expect(month).toHaveDisplayValue(last!.textContent!)
    await userEvent.selectOptions(month, within(month).getAllByRole('option')[3]!)
    await userEvent.click(screen.getByRole('button', { name: 'Export CSV' }))
    const now = new Date()
    const third = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3, 1))
    await waitFor(() => expect(asked).toEqual([`?month=${third.toISOString().slice(0, 7)}`]))
  })

  it('keeps the month until the sign-in that saving it may want is done', async () => {
    onGet('/api/export-month-end', () => failure(403, 'Please sign in again.'))
    const { unmount } = renderView(BillingView)
    const month = await screen.findByRole('combobox', { name: 'Month' })
    const third = within(month).getAllByRole<HTMLOptionElement>('option')[3]!
    await userEvent.selectOptions(month, third)
    unmount()
    renderView(BillingView)
    expect(await screen.findByRole('combobox', { name: 'Month' })).toHaveValue(third.value)
  })

  it('shows the cases although the figures cannot be added up', async () => {
    onGet('/api/get-finances', () => failure(403, 'Not now.'))
    renderView(BillingView)
    expect(await screen.findByText('Its lines contradict each other')).toBeVisible()
    expect(await figure('Monthly revenue')).toHaveTextContent('–')
    expect(screen.getAllByText('Not now.').length).toBeGreaterThan(0)
  })
})
