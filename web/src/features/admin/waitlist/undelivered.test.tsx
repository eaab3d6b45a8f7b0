import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { WaitlistUser } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { onPost } from '@/testing/server'
import { anEntry, renderView, rowOf, serveWaitlist } from '../testing'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

let entries: WaitlistUser[]

beforeEach(() => {
  visit('/admin')
  entries = [
    { ...anEntry(1, 'approved'), mail: 'sent' },
    { ...anEntry(2, 'approved'), mail: 'bounced', mail_reply: '550 5.1.1' },
    { ...anEntry(3, 'approved'), mail: 'given_up', left: true },
    { ...anEntry(4, 'approved'), mail: 'complained', left: true },
  ]
})

describe('emails that were not delivered', () => {
  it('are counted, shown alone, and sent again', async () => {
    const asked = serveWaitlist(() => entries)
    const { container } = renderView(WaitlistView)
    expect((await rowOf(2)).getByText('The email bounced: 550 5.1.1')).toBeVisible()
    expect(screen.getByText(/2 invitation emails were not delivered/)).toBeVisible()
    expect(await violations(container)).toEqual([])

    await userEvent.click(screen.getByRole('button', { name: 'Show them' }))
    await waitFor(() => expect(screen.queryByText('person-1@fledge.test')).not.toBeInTheDocument())
    expect(asked.at(-1)).toBe('?mail=undelivered')

    const sent: unknown[] = []
    onPost('/api/approve-waitlist-user', ({ body }) => {
      sent.push(body)
      entries[1] = { ...anEntry(2, 'approved'), mail: 'waiting' }
      return { message: 'The approval email is sent again' }
    })
    await userEvent.click((await rowOf(2)).getByRole('button', { name: /^Resend/ }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Resend approval email' }))
    expect(dialog.getByText('person-2@fledge.test')).toBeVisible()
    await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), 'the mailbox is back')
    await userEvent.click(dialog.getByRole('button', { name: 'Resend email' }))
    expect(await screen.findByText('The approval email is sent again')).toBeVisible()
    expect(sent).toEqual([
      { waitlistUserId: entries[1]!.id, action: 'resend', reason: 'the mailbox is back' },
    ])
    await waitFor(() => expect(screen.queryByText('person-2@fledge.test')).not.toBeInTheDocument())
    expect(document.body).not.toHaveFocus()

    await userEvent.click(screen.getByRole('button', { name: 'Show all entries' }))
    expect((await rowOf(2)).getByText('Approved')).toBeVisible()
  })

  it('to somebody who wants none are not sent again', async () => {
    serveWaitlist(() => entries)
    renderView(WaitlistView)
    const row = await rowOf(3)
    expect(row.getByText('Wants no emails')).toBeVisible()
    expect(row.getAllByRole('button').map((b) => b.textContent)).toEqual(['Remove'])
  })

  it('that were marked as spam are told apart, and no longer sent', async () => {
    serveWaitlist(() => entries)
    renderView(WaitlistView)
    const row = await rowOf(4)
    expect(row.getByText('Marked an email as spam')).toBeVisible()
    expect(row.getAllByRole('button').map((b) => b.textContent)).toEqual(['Remove'])
  })

  it('are no topic without any', async () => {
    serveWaitlist(() => [anEntry(1, 'approved')])
    renderView(WaitlistView)
    await rowOf(1)
    expect(screen.queryByText(/not delivered/)).toBeNull()
  })
})
