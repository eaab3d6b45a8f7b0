import { expect, it } from 'vitest'
import { makeStore } from '@/store/store'
import { onGet } from '@/testing/server'
import { HttpResponse } from 'msw'
import { problemText } from './problem'
import { identityApi } from './identity-api'

const { getUsers, getStaffRole } = identityApi.endpoints
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
