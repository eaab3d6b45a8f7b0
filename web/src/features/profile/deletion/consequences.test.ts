import { describe, expect, it, test } from 'vitest'
import type { MyTicketPage, TicketStatus } from '@/lib/api/types'
import { aBalance, aSubscription } from '@/testing/billing'
import { consequences, type Possessions, ticketCounts } from './consequences'

const nothing: Possessions = { subscription: null, balance: null, tickets: { all: 0, open: 0 } }
const unknown: Possessions = { subscription: undefined, balance: undefined, tickets: undefined }

const texts = (has: Partial<Possessions>) => {
  const steps = consequences({ ...nothing, ...has }, '7 days')
  return Object.fromEntries(steps.map(({ when, what }) => [when, what]))
}

describe('what happens', () => {
  it('names the plan, the credits and the tickets of the person', () => {
    const has = {
      subscription: aSubscription(),
      balance: aBalance(12.5, 50),
      tickets: { all: 3, open: 1 },
    }
    expect(texts(has)).toEqual({
      'Right away': 'You are signed out everywhere, on your Mac too. Your Pro plan stops renewing.',
      'For 7 days': 'You can take it back: sign in again, and everything is as it was.',
      'After 7 days':
        'Everything is erased for good. Your Pro plan ends at once, without a refund. Your 12.50 credits, 3 support tickets (1 still open) and your place on the waitlist are deleted.',
      'What stays': expect.stringMatching(
        /tax law.*in our books without your name, at Stripe with it/,
      ),
    })
  })

  it('happens at once where it cannot be taken back', () => {
    const [first, second] = consequences(nothing, '')
    expect(first).toMatchObject({
      when: 'Right away',
      what: expect.stringMatching(/^You are signed out.*Everything is erased for good\./),
    })
    expect(second?.when).toBe('What stays')
  })

  it('says nothing of a plan to who has none', () => {
    expect(Object.values(texts({})).join()).not.toMatch(/plan|refund|0\.00|0 support/)
  })

  it('does not end the renewal of a plan that is cancelled', () => {
    const cancelled = texts({ subscription: aSubscription({ status: 'cancelled' }) })
    expect(cancelled['Right away']).not.toContain('renewing')
    expect(cancelled['After 7 days']).toContain('Your Pro plan ends at once')
  })

  it('is told in general words while nothing is known', () => {
    const steps = texts(unknown)
    expect(steps['Right away']).toContain('A paid plan stops renewing.')
    expect(steps['After 7 days']).toContain(
      'A paid plan ends at once, without a refund. Your credits, support tickets and your place',
    )
  })

  it.each([
    [{ all: 1, open: 0 }, '1 support ticket and'],
    [{ all: 2, open: 2 }, '2 open support tickets and'],
  ])('counts %j', (tickets, text) => {
    expect(texts({ tickets })['After 7 days']).toContain(text)
  })
})

test('tickets are counted when all of them are loaded', () => {
  const page = (nextCursor: string | null, ...statuses: TicketStatus[]): MyTicketPage => ({
    data: statuses.map((status) => ({ status }) as MyTicketPage['data'][number]),
    nextCursor,
  })
  expect(ticketCounts(undefined)).toBeUndefined()
  expect(ticketCounts([page('more', 'open')])).toBeUndefined()
  expect(ticketCounts([page(null)])).toEqual({ all: 0, open: 0 })
  const pages = [page('more', 'open', 'closed'), page(null, 'in_progress', 'resolved')]
  expect(ticketCounts(pages)).toEqual({ all: 4, open: 2 })
})
