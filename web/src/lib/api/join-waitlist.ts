import { NETWORK_ERROR, SOMETHING_WRONG } from './messages'
import { answerProblem, problemText } from './problem'
import type { WaitlistSource } from './types'

/** How joining went: the server's confirmation, or the sentence to show instead. */
export type JoinOutcome =
  | { ok: true; message: string }
  | {
      ok: false
      error: string
      /** After how many seconds the server will take another try, where it said so. */
      retryAfter?: number
    }

const TIMEOUT_MS = 15_000
/** What the server says to those who have joined; an answer without words means the same. */
const JOINED = "You're on the waitlist!"

/** Signs an address up for the waitlist. Never rejects. Plain fetch: a visitors' page has no store. */
export async function joinWaitlist(email: string, source: WaitlistSource): Promise<JoinOutcome> {
  // AbortSignal.timeout is newer than some of the browsers that have to work.
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
  try {
    const response = await fetch('/api/add-waitlist-user', {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify({ email, source }),
      signal: timeout.signal,
    })
    return outcomeOf(response, await readBody(response))
  } catch {
    return { ok: false, error: NETWORK_ERROR }
  } finally {
    clearTimeout(timer)
  }
}

/** Rejects when something in between answered with success in place of the API. */
async function readBody(response: Response): Promise<unknown> {
  if (response.ok) return response.json()
  return response.json().catch(() => null)
}

function outcomeOf(response: Response, body: unknown): JoinOutcome {
  const { message, error } = (body ?? {}) as Record<'message' | 'error', unknown>
  if (response.ok && !error) {
    return { ok: true, message: typeof message === 'string' && message ? message : JOINED }
  }
  const problem = answerProblem(response.status, response.statusText, body)
  const retryAfter = Number(response.headers.get('Retry-After') ?? 0)
  return {
    ok: false,
    error: problemText(problem, SOMETHING_WRONG),
    ...(response.status === 429 && retryAfter > 0 ? { retryAfter } : {}),
  }
}
