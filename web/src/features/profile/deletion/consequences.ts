import type { CreditBalance, MyTicketPage, Subscription } from '@/lib/api/types'
import { twoDecimals } from '@/lib/numbers'

/** What the person has: each undefined while it is not known, null where there is none. */
export interface Possessions {
  subscription: Subscription | null | undefined
  balance: CreditBalance | null | undefined
  tickets: TicketCounts | undefined
}

export interface TicketCounts {
  all: number
  open: number
}

/** What happens, and when. */
export interface Consequence {
  when: string
  what: string
}

const closed = new Set(['resolved', 'closed'])

/** Counts a list of tickets that is complete; a longer one is not loaded to be counted. */
export function ticketCounts(pages: readonly MyTicketPage[] | undefined): TicketCounts | undefined {
  if (!pages || pages.at(-1)?.nextCursor) return undefined
  const tickets = pages.flatMap(({ data }) => data)
  return {
    all: tickets.length,
    open: tickets.filter(({ status }) => !closed.has(status)).length,
  }
}

/** What deleting the account does, in order. `grace` is for how long it can be taken back, '' for not at all. */
export function consequences(has: Possessions, grace: string): Consequence[] {
  const signedOut = `You are signed out everywhere, on your Mac too.${renewal(has)}`
  return [
    ...(grace
      ? [
          { when: 'Right away', what: signedOut },
          {
            when: `For ${grace}`,
            what: 'You can take it back: sign in again, and everything is as it was.',
          },
          { when: `After ${grace}`, what: erasure(has) },
        ]
      : [{ when: 'Right away', what: `${signedOut} ${erasure(has)}` }]),
    {
      when: 'What stays',
      what: 'Records of payments, for as long as tax law requires: in our books without your name, at Stripe with it.',
    },
  ]
}

function renewal({ subscription }: Possessions): string {
  if (subscription === null || subscription?.status === 'cancelled') return ''
  return ` ${subscription ? planOf(subscription) : 'A paid plan'} stops renewing.`
}

function planOf({ plan }: Subscription): string {
  return `Your ${plan.name} plan`
}

function erasure(has: Possessions): string {
  const { subscription } = has
  const plan =
    subscription === null
      ? ''
      : ` ${subscription ? planOf(subscription) : 'A paid plan'} ends at once, without a refund.`
  return `Everything is erased for good.${plan} Your ${credits(has)}, ${tickets(has)} and your place on the waitlist are deleted.`
}

function credits({ balance }: Possessions): string {
  const left = balance?.credit_balance ?? 0
  return left > 0 ? `${twoDecimals(left)} credits` : 'credits'
}

function tickets({ tickets }: Possessions): string {
  if (!tickets || tickets.all === 0) return 'support tickets'
  const { all, open } = tickets
  const noun = all === 1 ? 'support ticket' : 'support tickets'
  if (open === all) return `${all} open ${noun}`
  return open > 0 ? `${all} ${noun} (${open} still open)` : `${all} ${noun}`
}
