import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import type { Mail, MailPage } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { failure, onGet, onPost } from '@/testing/server'
import { renderView } from '../testing'
import { MailsButton } from './mails-button'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const at = '2026-11-21T09:30:00Z'

const aMail = (id: number, over: Partial<Mail> = {}): Mail => ({
  id,
  state: 'bounced',
  to: `person-${id}@fledge.test`,
  subject: 'You have access to Fledge',
  reply: '550 5.1.1',
  replyAt: 'RCPT TO',
  queuedAt: at,
  nextTryAt: null,
  endedAt: at,
  ...over,
})

const pageOf = (data: Mail[]): MailPage => ({
  data,
  nextCursor: null,
  counts: [
    { state: 'bounced', count: 2 },
    { state: 'put_off', count: 1248 },
  ],
})

const open = async () => {
  renderView(() => <MailsButton service="waitlist" />)
  await userEvent.click(await screen.findByRole('button', { name: 'Emails' }))
  return within(await screen.findByRole('dialog', { name: 'Emails' }))
}

beforeEach(() => visit('/admin'))

it('shows the emails of a state with what was answered, and how many are in each', async () => {
  const asked: string[] = []
  onGet('/api/get-mails', ({ url }) => {
    asked.push(url.search)
    return url.searchParams.get('state') === 'bounced'
      ? pageOf([aMail(1)])
      : pageOf([aMail(2, { state: 'put_off', reply: '450 4.2.1', nextTryAt: at, endedAt: null })])
  })
  const dialog = await open()
  expect(await dialog.findByText('person-1@fledge.test')).toBeVisible()
  expect(dialog.getByText(/^550 5\.1\.1 to RCPT TO, /)).toBeVisible()
  expect(dialog.getByRole('option', { name: 'Bounced (2)' })).toBeVisible()
  expect(await violations(document.body)).toEqual([])
  await userEvent.selectOptions(dialog.getByLabelText('State'), 'Put off, tried again (1,248)')
  expect(await dialog.findByText(/^450 4\.2\.1 to RCPT TO, next try /)).toBeVisible()
  expect(asked).toEqual(['?service=waitlist&state=bounced', '?service=waitlist&state=put_off'])
})

it('sends one again and deletes all that are shown', async () => {
  let mails = [aMail(3), aMail(2), aMail(1)]
  const sent: unknown[] = []
  onGet('/api/get-mails', () => pageOf(mails))
  onPost('/api/change-mails', ({ body }) => {
    sent.push(body)
    const { ids } = body as { ids: number[] }
    mails = mails.filter(({ id }) => !ids.includes(id))
    return { ids }
  })
  const dialog = await open()
  await userEvent.click(
    await dialog.findByRole('button', { name: 'Send again the email to person-3@fledge.test' }),
  )
  expect(await screen.findByText('1 email will be sent again')).toBeVisible()
  await userEvent.click(
    await dialog.findByRole('button', { name: 'Delete the 2 emails shown first' }),
  )
  const asking = within(await screen.findByRole('alertdialog', { name: 'Delete 2 emails?' }))
  expect(sent).toHaveLength(1)
  await userEvent.click(asking.getByRole('button', { name: 'Delete' }))
  expect(await dialog.findByText('No emails in this state.')).toBeVisible()
  expect(sent).toEqual([
    { service: 'waitlist', ids: [3], action: 'resend' },
    { service: 'waitlist', ids: [2, 1], action: 'drop' },
  ])
})

it('offers nothing for emails that were sent, and says what failed', async () => {
  onGet('/api/get-mails', ({ url }) =>
    url.searchParams.get('state') === 'sent'
      ? pageOf([aMail(1, { state: 'sent', reply: null, replyAt: null })])
      : failure(503, 'Not now.'),
  )
  const dialog = await open()
  expect(await dialog.findByRole('alert')).toHaveTextContent('Not now.')
  await userEvent.selectOptions(dialog.getByLabelText('State'), 'Sent')
  expect(await dialog.findByText('person-1@fledge.test')).toBeVisible()
  expect(dialog.queryByRole('button', { name: /^Send again/ })).not.toBeInTheDocument()
})

it('is open again after the sign-in that a change needed, until it is closed', async () => {
  onGet('/api/get-mails', () => pageOf([aMail(1)]))
  const view = renderView(() => <MailsButton service="waitlist" />)
  await userEvent.click(await screen.findByRole('button', { name: 'Emails' }))
  await screen.findByRole('dialog', { name: 'Emails' })
  view.unmount()

  renderView(() => <MailsButton service="waitlist" />)
  const dialog = await screen.findByRole('dialog', { name: 'Emails' })
  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument())
})
