import type { Session, SignOutRequest } from '@/lib/api/types'
import { requestSession, TIMEOUT_MS } from './session-request'

/** What a sign-out ends: this browser's session, or every session of the account. */
export type SignOutScope = NonNullable<SignOutRequest['scope']>

/** Where the session lives for good: the server, which knows the browser by its cookie. */
export interface SessionSource {
  /** Resolves to null when signed out; rejects when there was no usable answer. */
  read(): Promise<Session | null>
  /** Resolves when the session is over; `accessToken` names it as well as the cookie does. */
  end(accessToken: string | null, scope: SignOutScope): Promise<void>
}

/** The source over the gateway's auth routes. */
export function httpSessionSource(): SessionSource {
  return {
    async read() {
      const response = await requestSession()
      if (response.status === 401) {
        // An unread body keeps the connection busy until the timeout.
        await response.text()
        return null
      }
      if (!response.ok) throw new Error(`Session read answered ${response.status}`)
      return (await response.json()) as Session
    },
    async end(accessToken, scope) {
      const response = await fetch('/api/auth/sign-out', {
        method: 'POST',
        credentials: 'same-origin',
        headers: {
          'Content-Type': 'application/json',
          ...(accessToken ? { Authorization: `Bearer ${accessToken}` } : {}),
        },
        body: JSON.stringify({ scope }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      // 401: this session was over already. It says nothing about those on other devices.
      const over = response.status === 401 && scope === 'device'
      if (!response.ok && !over) {
        throw new Error(`Sign-out answered ${response.status}`)
      }
    },
  }
}
