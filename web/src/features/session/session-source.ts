import { readSignedInHint } from '@/lib/hint-cookie'
import { requestJson } from '@/lib/api/http'
import { answerOf } from '@/lib/api/problem'
import { sessionShape } from '@/lib/api/session'
import type { Session, SignOutRequest } from '@/lib/api/types'

/** What a sign-out ends: this browser's session, or every session of the account. */
export type SignOutScope = NonNullable<SignOutRequest['scope']>

/** The server's side of the session; it recognises the browser by its cookie. */
export interface SessionSource {
  /** Whether somebody seems to be signed in, by the hint cookie; only the server knows. */
  expected(): boolean
  /** Resolves to null when signed out; rejects when there was no usable response. */
  read(): Promise<Session | 'disabled' | null>
  /** Resolves when the session is over; `accessToken` names it as well as the cookie does. */
  end(accessToken: string | null, scope: SignOutScope): Promise<void>
}

/** The timeout of a request, in milliseconds. */
const TIMEOUT_MS = 10_000

/** The source over the gateway's auth routes. */
export function httpSessionSource(): SessionSource {
  return {
    expected: () => readSignedInHint(document.cookie) !== null,
    async read() {
      const options = { cache: 'no-store', timeout: TIMEOUT_MS } as const
      const reading = requestJson('/api/auth/session', options, sessionShape)
      return await reading.catch((problem) =>
        answerOf(problem)?.code === 'account_disabled' ? 'disabled' : nullIf401(problem),
      )
    },
    async end(accessToken, scope) {
      const headers: Record<string, string> = accessToken
        ? { Authorization: `Bearer ${accessToken}` }
        : {}
      const options = { method: 'POST', headers, body: { scope }, timeout: TIMEOUT_MS } as const
      const ended = requestJson('/api/auth/sign-out', options)
      // 401: this session was over already. It says nothing about those on other devices.
      await (scope === 'device' ? ended.catch(nullIf401) : ended)
    },
  }
}

function nullIf401(problem: unknown): null {
  if (answerOf(problem)?.status === 401) return null
  throw problem
}
