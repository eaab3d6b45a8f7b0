import { describe, expect, it, vi } from 'vitest'
import { safeParse, string } from 'valibot'
import { makeStore } from '@/store/store'
import { onGet, onPost } from '@/testing/server'
import { HttpResponse } from 'msw'
import { problemText } from './problem'
import { billingApi } from './billing-api'
import { devicesApi } from './devices-api'
import { identityApi } from './identity-api'
import { myWaitlistApi } from './my-waitlist-api'
import { releasesApi } from './releases-api'
import { sessionShape } from './session'
import { rows, shape } from './shape'
import { staffRoleApi } from './staff-role-api'
import { supportApi } from './support-api'
import { aSession } from '@/testing/session'

const { getUsers } = identityApi.endpoints
const { getStaffRole } = staffRoleApi.endpoints
const account = { id: '1', email: 'jane@fledge.test', roles: ['user'] }

function aStore(answer: unknown) {
  const reply = () => HttpResponse.json(answer as object)
  onGet('/api/get-users-with-roles', reply)
  onGet('/api/is-admin', reply)
  return makeStore({ current: () => 'token-1', owner: () => 'jane', renew: async () => null })
}

it.each([
  null,
  {},
  [],
  'text',
  { data: null },
  { data: [null] },
  { data: [{ ...account, id: 1 }] },
])('an answer of another shape is a failure of its call: %j', async (answer) => {
  const store = aStore(answer)
  const users = await store.dispatch(getUsers.initiate({ role: '', search: '' }))
  expect(users.error).toEqual({ kind: 'unusable' })
  expect(problemText(users.error, 'Failed to fetch users', 'Network error')).toBe(
    'Failed to fetch users',
  )
  const { error } = await store.dispatch(getStaffRole.initiate())
  expect(error).toEqual({ kind: 'unusable' })
})

it('fields and values of a newer server pass, and reach the page', async () => {
  const data = [{ ...account, roles: ['owner'], plan: 'Pro' }]
  const store = aStore({ data, nextCursor: null, total: 1 })
  const users = await store.dispatch(getUsers.initiate({ role: '', search: '' }))
  expect(users.data?.pages).toEqual([{ data, nextCursor: null, total: 1 }])
})

it('a row of another shape is left out of its list, of which the console hears', async () => {
  const error = vi.spyOn(console, 'error').mockReturnValue()
  const data = [null, account, { ...account, id: 2 }, 'row', { ...account, id: '3' }]
  const store = aStore({ data, nextCursor: 'more', total: 5 })
  const users = await store.dispatch(getUsers.initiate({ role: '', search: '' }))
  expect(users.data?.pages).toEqual([
    { data: [account, { ...account, id: '3' }], nextCursor: 'more', total: 5 },
  ])
  expect(error.mock.calls).toEqual([['3 of 5 rows of a response are of another shape']])
})

it('a list without rows is no failure; one whose rows are all of another shape is', () => {
  const list = rows(shape<{ id: string }>({ id: string() }))
  expect(safeParse(list, [])).toMatchObject({ success: true, output: [] })
  for (const answer of [[{}], [null, 7], {}, null, 'text']) {
    expect(safeParse(list, answer).success).toBe(false)
  }
})

const wrong = [7, true, {}, [null]]
const build = { url: '/api/download/1.2.3/a.dmg', filename: 'a.dmg', version: '1.2.3' }
const plan = {
  id: 'pro',
  name: 'Pro',
  description: '',
  monthly_credits: 50,
  price_monthly: 25,
  features: [],
}

describe('a part that makes no sense leaves the rest of its answer', () => {
  const json = (answer: object) => () => HttpResponse.json(answer)

  it.each(wrong)('the other build: %j', async (part) => {
    onGet('/api/get-latest-downloads', json({ arm64: part, x64: build }))
    const { getLatestDownloads } = releasesApi.endpoints
    const { data } = await makeStore().dispatch(getLatestDownloads.initiate())
    expect(data).toEqual({ x64: build })
  })

  it.each(wrong)('the plans, without packs and trial: %j', async (part) => {
    onGet('/api/get-plans', json({ data: [plan], packs: part }))
    onGet('/api/get-subscription', json({ data: null, trialDays: [part], hasPortal: [part] }))
    const { getPlans, getSubscription } = billingApi.endpoints
    const sold = await makeStore().dispatch(getPlans.initiate())
    expect(sold.data).toEqual({ plans: [plan], packs: [] })
    const subscribed = await aStore({}).dispatch(getSubscription.initiate())
    expect(subscribed.data).toEqual({ subscription: null, trialDays: 0, hasPortal: false })
  })

  it.each(wrong)('the tickets, without what the search found in them: %j', async (part) => {
    const pagination = { page: 1, limit: 50, total: 1, totalPages: 1 }
    const data = [{ id: '1', ticket_id: 'T-1', version: 1 }]
    onGet('/api/get-support-tickets', json({ data, pagination, snippets: { 1: part } }))
    const filter = { status: '', category: '', priority: '', search: '', page: 1 } as const
    const page = await aStore({}).dispatch(supportApi.endpoints.getTickets.initiate(filter))
    expect(page.data).toEqual({ data, pagination })
  })

  it.each(wrong)('rows, without what stands beside them: %j', async (part) => {
    const device = {
      id: '1',
      kind: '',
      name: '',
      user_agent: '',
      last_active_at: '',
      current: true,
    }
    onGet('/api/get-plans', json({ data: [{ ...plan, features: [{ text: 'A', info: part }] }] }))
    onGet('/api/auth/devices', json({ data: [{ ...device, ip_address: part }] }))
    onGet('/api/get-token-balance', json({ data: { used: 1, held: 0, endings: part } }))
    const { getPlans, getTokenBalance } = billingApi.endpoints
    const sold = await makeStore().dispatch(getPlans.initiate())
    expect(sold.data?.plans).toEqual([{ ...plan, features: [{ text: 'A' }] }])
    const devices = await aStore({}).dispatch(devicesApi.endpoints.getDevices.initiate())
    expect(devices.data).toEqual([device])
    const credits = await aStore({}).dispatch(getTokenBalance.initiate())
    expect(credits.data).toEqual({ used: 1, held: 0 })
  })

  it.each([7, {}, [], true])('what was done is done, whatever the message: %j', async (message) => {
    onPost('/api/confirm-waitlist', json({ message }))
    const { confirmWaitlist } = myWaitlistApi.endpoints
    const confirmed = await makeStore().dispatch(confirmWaitlist.initiate('token'))
    expect(confirmed.data).toEqual({})
  })

  it.each(['yes', 1, {}])('the session, without the news: %j', (deletionTakenBack) => {
    const { success } = safeParse(sessionShape, { ...aSession(), deletionTakenBack })
    expect(success).toBe(true)
  })
})
