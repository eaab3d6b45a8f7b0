import { describe, expect, it } from 'vitest'
import { aSession } from '@/testing/session'
import { failure, offline, onGet } from '@/testing/server'
import { tokenOwner } from './token-owner'

describe('the owner of a token', () => {
  it('is whom the API names', async () => {
    onGet('/api/auth/user', () => aSession().user)
    expect(await tokenOwner('token')).toEqual(aSession().user)
  })

  it.each([400, 401, 403, 404])('is nobody when the API refuses it with %d', async (status) => {
    onGet('/api/auth/user', () => failure(status, 'No.'))
    expect(await tokenOwner('token')).toBeNull()
  })

  it.each([429, 500, 503])('is not known when the API fails with %d', async (status) => {
    onGet('/api/auth/user', () => failure(status, 'Not now.'))
    await expect(tokenOwner('token')).rejects.toMatchObject({ status })
  })

  it('is not known by an answer of another form', async () => {
    onGet('/api/auth/user', () => Response.json({}))
    await expect(tokenOwner('token')).rejects.toEqual({ kind: 'unusable' })
  })

  it('is not known without an answer', async () => {
    onGet('/api/auth/user', offline)
    await expect(tokenOwner('token')).rejects.toEqual({ kind: 'network' })
  })
})
