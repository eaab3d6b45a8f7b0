import { HttpResponse } from 'msw'
import { describe, expect, it } from 'vitest'
import { aSession } from '@/testing/session'
import { failure, offline, onGet, onPost } from '@/testing/server'
import { httpSessionSource } from './session-source'

describe('the session over HTTP', () => {
  it('is read', async () => {
    const session = aSession()
    onGet('/api/auth/session', () => session)
    await expect(httpSessionSource().read()).resolves.toEqual(session)
  })

  it('is none when the server answers 401', async () => {
    onGet('/api/auth/session', () => failure(401, 'Please sign in.'))
    await expect(httpSessionSource().read()).resolves.toBeNull()
  })

  it('is none for a disabled account, and no other refusal is that', async () => {
    const body = { error: 'This account is disabled.', code: 'account_disabled', requestId: '0' }
    onGet('/api/auth/session', () => HttpResponse.json(body, { status: 403 }))
    await expect(httpSessionSource().read()).resolves.toBe('disabled')
    onGet('/api/auth/session', () => failure(403, 'No.'))
    await expect(httpSessionSource().read()).rejects.toMatchObject({ status: 403 })
  })

  it('is unknown when the server fails or cannot be reached', async () => {
    onGet('/api/auth/session', () => failure(503, 'Please try again.'))
    await expect(httpSessionSource().read()).rejects.toMatchObject({ status: 503 })
    onGet('/api/auth/session', offline)
    await expect(httpSessionSource().read()).rejects.toEqual({ kind: 'network' })
  })

  it('ends with the bearer, also when it was over already', async () => {
    const calls: unknown[] = []
    onPost('/api/auth/sign-out', ({ bearer, body }) => {
      calls.push([bearer, body])
      return new HttpResponse(null, { status: 204 })
    })
    await httpSessionSource().end('token-1', 'device')
    await httpSessionSource().end('token-1', 'all')
    onPost('/api/auth/sign-out', () => failure(401, 'Please sign in.'))
    await httpSessionSource().end(null, 'device')
    expect(calls).toEqual([
      ['token-1', { scope: 'device' }],
      ['token-1', { scope: 'all' }],
    ])
  })

  it('does not claim that other devices are signed out when nobody said so', async () => {
    onPost('/api/auth/sign-out', () => failure(401, 'Please sign in.'))
    await expect(httpSessionSource().end(null, 'all')).rejects.toMatchObject({ status: 401 })
  })
})
