import { expect, type APIRequestContext, type Page } from '@playwright/test'

import { call } from './mac.ts'
import { siteURL, stripeURL } from './stack.ts'

/** The controls of the stand-in (fake) for Stripe; its README lists them. */
async function control<T = void>(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<T> {
  const response = await fetch(`${stripeURL}/control/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the stand-in for Stripe answered ${response.status}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as T
}

/** Advances Stripe's clock by a month and two hours, within which it collects the renewal. */
export function oneMonthOn(): Promise<void> {
  return control('POST', 'clock', { months: 1, seconds: 2 * 60 * 60 })
}

/** Runs a task while requests to a route get no response from Stripe. */
export async function whileDown(route: string, task: () => Promise<void>): Promise<void> {
  await control('PUT', 'fault', { route, hangup: true })
  try {
    await task()
  } finally {
    await control('PUT', 'fault', {})
  }
}

/** Runs a task while webhooks are duplicated and reordered, and waits until all have been delivered. */
export async function whileStuttering(task: () => Promise<void>): Promise<void> {
  await control('PUT', 'delivery', { copies: 5, shuffled: true, parallel: 4, seed: 1 })
  try {
    await task()
    const pending = async () => (await control<{ pending: number }>('GET', 'delivery')).pending
    await expect.poll(pending, { timeout: 30_000 }).toBe(0)
  } finally {
    await control('PUT', 'delivery', {})
  }
}

/** Buys a plan for the signed-in person through the API, without the pages. */
export async function buy(request: APIRequestContext, name: string): Promise<void> {
  const { body: user } = await call(request, 'GET', '/api/auth/user')
  const { body: plans } = await call(request, 'GET', '/api/get-plans')
  const plan = (
    plans as { data: { name: string; productId: string; priceId: string }[] }
  ).data.find((candidate) => candidate.name === name)
  const { status, body } = await call(request, 'POST', '/api/create-checkout-session', {
    productId: plan?.productId,
    priceId: plan?.priceId,
    successUrl: `${siteURL}/profile?success=true`,
    cancelUrl: `${siteURL}/profile?canceled=true`,
    userId: (user as { id: string }).id,
  })
  expect(status, JSON.stringify(body)).toBe(200)
  const { sessionId } = body as { sessionId: string }
  await control('POST', `checkouts/${sessionId}/pay`, { card: 'works' })
  await expectStatus(request, 'active')
}

export interface Subscription {
  status: string
  current_period_end: string
  plan: { name: string }
}

/** The subscription of the signed-in person in billing's database. */
export async function subscription(request: APIRequestContext): Promise<Subscription | null> {
  const { body } = await call(request, 'GET', '/api/get-subscription')
  return (body as { data: Subscription | null }).data
}

/** Waits until billing has applied Stripe's webhooks. */
export async function expectStatus(request: APIRequestContext, status: string): Promise<void> {
  const known = async () => (await subscription(request))?.status
  await expect.poll(known, { timeout: 30_000 }).toBe(status)
}

/** The amounts that were granted to whoever is signed in, newest first. */
export async function grants(request: APIRequestContext): Promise<number[]> {
  const { body } = await call(request, 'GET', '/api/get-credit-history')
  const { data } = body as { data: { kind: string; amount: number }[] }
  return data.filter((entry) => entry.kind === 'grant').map((entry) => entry.amount)
}

/** Pays at Stripe's checkout, to which the browser is on its way. */
export async function payAtCheckout(page: Page, amount: string): Promise<void> {
  await page.getByRole('radio', { name: /^visa •••• 4242/ }).check()
  await page.getByRole('button', { name: `Pay ${amount}` }).click()
}
