import { requestJson } from './http'
import { NETWORK_ERROR, SOMETHING_WRONG } from './messages'
import { isProblem, problemText } from './problem'
import type { WaitlistSource } from './types'

/** What the server says to whoever has joined. */
export interface Joined {
  message: string
  /** The address has to be confirmed first. */
  confirm?: boolean
}

/** How joining went: the server's confirmation, or the sentence to show instead. */
export type JoinOutcome =
  | ({ ok: true } & Joined)
  | {
      ok: false
      error: string
      /** After how many seconds the server will take another try, where it said so. */
      retryAfter?: number
    }

/** What the server says to those who have joined; an answer without words means the same. */
const JOINED = "You're on the waitlist!"

/** Signs an address up for the waitlist. Never rejects. Not over RTK: a visitors' page has no store. */
export async function joinWaitlist(email: string, source: WaitlistSource): Promise<JoinOutcome> {
  try {
    const body = { email, source }
    const answer = await requestJson('/api/add-waitlist-user', { method: 'POST', body })
    return outcomeOf((answer ?? {}) as Answer)
  } catch (problem) {
    const error = problemText(problem, SOMETHING_WRONG, NETWORK_ERROR)
    const busy = isProblem(problem) && problem.kind === 'answer' && problem.status === 429
    return busy && problem.retryAfter
      ? { ok: false, error, retryAfter: problem.retryAfter }
      : { ok: false, error }
  }
}

type Answer = Record<'message' | 'confirm' | 'error', unknown>

function outcomeOf({ message, confirm, error }: Answer): JoinOutcome {
  if (error) return { ok: false, error: typeof error === 'string' ? error : SOMETHING_WRONG }
  return {
    ok: true,
    message: typeof message === 'string' && message ? message : JOINED,
    ...(confirm === true && { confirm }),
  }
}
