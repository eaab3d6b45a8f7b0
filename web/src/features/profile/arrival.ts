import { paths } from '@/config/paths'

/** What a finished checkout says of itself in the address. For display alone: anybody can write it. */
export interface Payment {
  /** What the plan is called; null when nothing in the address can be a name. */
  plan: string | null
  /** Whether the address said so; otherwise the name is only the default. */
  named: boolean
  tokens: string
  price: string
  /** Whether it is paid by the year; otherwise by the month. */
  yearly: boolean
  /** The checkout, to ask the server about. */
  sessionId: string | null
}

export interface Arrival {
  /** Opens the plan modal: the desktop app, or a link to #upgrade, asks for it. */
  wantsPlans: boolean
  /** Opens the question whether to delete the account: a link, or a fresh sign-in, leads to it. */
  wantsDeletion: boolean
  payment: Payment | null
  /** The checkout of a pack of credits that the person has paid; null without one. */
  pack: string | null
  /** Whether a provider could not be added to the account. */
  linkingFailed: boolean
  /** Path, search and hash to show instead: a reload must not repeat any of this. */
  left: string
}

/** What the welcome dialog says where the address does not. */
const DEFAULTS = { plan: 'Pro', tokens: '100', price: '$20' } as const

const MAX_NAME = 40

/** Reads what the address of the profile asks for. */
export function readArrival(href: string): Arrival {
  const address = new URL(href)
  const { searchParams: query } = address
  const paid = query.get('success') === 'true'
  const pack = paid && query.has('pack') ? sessionOf(query) : null
  const payment = paid && !query.has('pack') ? readPayment(query) : null
  if (paid || query.get('canceled') === 'true') {
    const nothing = { wantsPlans: false, wantsDeletion: false, linkingFailed: false }
    return { ...nothing, payment, pack, left: address.pathname }
  }
  const wantsPlans = query.get('paywall') === 'true' || address.hash === '#upgrade'
  const wantsDeletion = wantedPart(address) === paths.deleteAccount
  const linkingFailed = query.get('linking') === 'failed'
  query.delete('paywall')
  // The flow is Kratos'; nothing here reads it.
  if (linkingFailed) ['linking', 'flow'].forEach((name) => query.delete(name))
  if (address.hash === '#upgrade' || wantsDeletion) address.hash = ''
  const left = address.pathname + address.search + address.hash
  return { wantsPlans, wantsDeletion, payment, pack, linkingFailed, left }
}

/** The part of the profile that an address leads to even if a sign-in has to come first. */
export function wantedPart({ hash }: Pick<URL, 'hash'>): string | undefined {
  return [paths.deleteAccount, paths.downloadData].find((page) => page === paths.profile + hash)
}

function readPayment(query: URLSearchParams): Payment {
  const plan = query.get('plan')
  return {
    plan: plan === null ? DEFAULTS.plan : planName(plan),
    named: plan !== null,
    tokens: matching(query.get('tokens'), /^\d{1,7}$|^\d{1,7}\.\d{1,2}$/) ?? DEFAULTS.tokens,
    price: priceOf(query.get('price')),
    yearly: query.get('interval') === 'year',
    sessionId: sessionOf(query),
  }
}

const sessionOf = (query: URLSearchParams) => matching(query.get('session_id'), /^cs_\w{1,250}$/)

/** A name in letters, digits and a few marks; null without one, or for the mere word 'Plan'. */
function planName(text: string): string | null {
  const kept = text.slice(0, 1000).replace(/[^\p{L}\p{M}\p{N} .&+-]/gu, '')
  const name = [...kept.trim()].slice(0, MAX_NAME).join('').trim()
  return name === '' || name.toLowerCase() === 'plan' ? null : name
}

function priceOf(text: string | null): string {
  // A checkout writes '$1,200'.
  const amount = matching(
    text,
    /^\$?(?:\d{1,6}|\d{1,3},\d{3})$|^\$?(?:\d{1,6}|\d{1,3},\d{3})\.\d{1,2}$/,
  )
  return amount ? `$${amount.replace('$', '')}` : DEFAULTS.price
}

function matching(text: string | null, form: RegExp): string | null {
  return text !== null && form.test(text) ? text : null
}
