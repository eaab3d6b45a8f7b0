import { requestJson } from './http'
import { answerProblem } from './problem'
import type { WaitlistSource } from './types'

/** What the server says to whoever has joined. */
export interface Joined {
  message: string
  /** The address has to be confirmed first. */
  confirm?: boolean
}

/** What the server says to those who have joined; an answer without words means the same. */
const JOINED = "You're on the waitlist!"

type Answer = Record<'message' | 'confirm' | 'error', unknown>

/** Signs an address up for the waitlist. Rejects with a `Problem`. Not over RTK: a visitors' page has no store. */
export async function joinWaitlist(email: string, source: WaitlistSource): Promise<Joined> {
  const body = { email, source }
  const answer = await requestJson('/api/add-waitlist-user', { method: 'POST', body })
  const { message, confirm, error } = (answer ?? {}) as Answer
  if (error) throw answerProblem(200, '', answer)
  return {
    message: typeof message === 'string' && message ? message : JOINED,
    ...(confirm === true && { confirm }),
  }
}
