import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect } from 'vitest'
import type { AdminUser, Device, PersonBilling, PersonChannel } from '@/lib/api/types'
import { visit } from '@/testing/navigation'
import { onGet } from '@/testing/server'
import { aTicket, anEntry, aUser, emailOf, idOf, serveTickets, serveWaitlist } from '../testing'

export const mac: Device = {
  id: idOf(101),
  kind: 'mac',
  name: "Ann's MacBook",
  user_agent: 'Fledge/1.1.0 (Macintosh)',
  ip_address: '203.0.113.7',
  created_at: '2025-11-20T08:00:00Z',
  last_active_at: '2025-11-20T09:00:00Z',
  current: false,
}

/** What the page is about, and what it has sent. */
export const shown = {} as {
  user: AdminUser
  devices: Device[]
  billing: PersonBilling
  sent: unknown[]
}

/** Serves what the page of a person asks for. */
export function servePerson() {
  visit(`/admin?tab=users&person=${idOf(1)}`)
  shown.user = aUser(1)
  shown.devices = [mac]
  shown.sent = []
  shown.billing = {
    subscription: null,
    credits: { granted: 15, used: 2.5, held: 0, balance: 12.5, period_end: null },
    entries: [
      {
        id: '1',
        time: '2025-11-20T08:00:00Z',
        kind: 'adjust',
        amount: 15,
        balance_after: 15,
        description: 'Given',
      },
    ],
    nextCursor: null,
    stripeUrl: 'https://dashboard.stripe.com/customers/cus_1',
    owed: 0,
    disputes: 0,
    disabled: false,
    renews: false,
  }
  onGet('/api/get-person', () => shown.user)
  onGet('/api/get-person-devices', () => ({
    devices: shown.devices,
    signIns: [{ ...mac, at: mac.created_at, ended_at: null }],
  }))
  onGet('/api/get-person-billing', () => shown.billing)
  onGet('/api/get-person-channel', (): PersonChannel => ({ channel: 'stable', setAt: null }))
  serveWaitlist(() => [anEntry(1, 'approved')])
  serveTickets(() => [aTicket(1, { message: emailOf(1) }), aTicket(2, { message: emailOf(1) })])
  onGet('/api/get-audit-log', () => ({ data: [], nextCursor: null }))
}

export const region = async (name: string) => within(await screen.findByRole('region', { name }))

export async function act(button: string, confirm = button) {
  await userEvent.click(await screen.findByRole('button', { name: button }))
  const dialog = within(await screen.findByRole('dialog'))
  expect(dialog.getByRole('button', { name: confirm })).toBeDisabled()
  await userEvent.type(dialog.getByRole('textbox', { name: 'Reason' }), ' because ')
  await userEvent.click(dialog.getByRole('button', { name: confirm }))
  return dialog
}
