import { screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, it, vi } from 'vitest'
import type { UnconfirmedSignUp } from '@/lib/api/types'
import { violations } from '@/testing/axe'
import { visit } from '@/testing/navigation'
import { onGet } from '@/testing/server'
import { renderView } from '../testing'
import { WaitlistView } from './waitlist-view'

vi.mock('next/navigation', () => import('@/testing/navigation'))

const signUp: UnconfirmedSignUp = {
  email: 'ada@fledge.test',
  source: 'hero_section',
  created_at: '2026-11-21T08:00:00Z',
  mail: 'sent',
  mail_reply: null,
  ends_at: '2026-11-24T08:00:00Z',
}

const serve = (unconfirmed: number) =>
  onGet('/api/get-waitlist-users', () => ({
    data: [],
    nextCursor: null,
    undelivered: 0,
    unconfirmed,
  }))

beforeEach(() => visit('/admin'))

it('shows who has not confirmed their address, a page at a time', async () => {
  serve(2)
  const asked: string[] = []
  const bounced: UnconfirmedSignUp = {
    ...signUp,
    email: 'bob@fledge.test',
    mail: 'bounced',
    mail_reply: '550 5.1.1',
  }
  onGet('/api/get-unconfirmed-sign-ups', ({ url }) => {
    asked.push(url.search)
    return url.searchParams.has('cursor')
      ? { data: [bounced], nextCursor: null }
      : { data: [signUp], nextCursor: 'c2' }
  })
  renderView(WaitlistView)
  expect(await screen.findByText(/2 people have not confirmed their address yet/)).toBeVisible()
  await userEvent.click(screen.getByRole('button', { name: 'Show who' }))
  const dialog = within(await screen.findByRole('dialog', { name: 'Not confirmed yet' }))
  expect(await dialog.findByText('ada@fledge.test')).toBeVisible()
  expect(dialog.getByText(/^Ended on/)).toBeVisible()
  expect(await violations(document.body)).toEqual([])
  await userEvent.click(dialog.getByRole('button', { name: 'Load more' }))
  expect(await dialog.findByText('The email bounced: 550 5.1.1')).toBeVisible()
  expect(asked).toEqual(['', '?cursor=c2'])
})

it('says nothing where there is nobody', async () => {
  serve(0)
  renderView(WaitlistView)
  expect(await screen.findByText(/No waitlist users found/)).toBeVisible()
  expect(screen.queryByText(/not confirmed/)).not.toBeInTheDocument()
})
