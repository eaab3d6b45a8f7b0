import type { AccessTokens } from './base-query'
import { answerProblem, type Problem } from './problem'
import type { HandOffAnswer, HandOffRequest } from './types'

const TIMEOUT_MS = 10_000

async function post(body: HandOffRequest, token: string): Promise<Response> {
  try {
    return await fetch('/api/auth/hand-off', {
      method: 'POST',
      credentials: 'same-origin',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json',
        Authorization: `Bearer ${token}`,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    throw { kind: 'network' } satisfies Problem
  }
}

/**
 * Asks for what opens the app: a code when the request has a challenge, else a session of the app's
 * own. A refused bearer is renewed and the call repeated, once. Rejects with a `Problem`. Plain
 * fetch: the answer holds secrets, which must not enter the store.
 */
export async function handOff(body: HandOffRequest, tokens: AccessTokens): Promise<HandOffAnswer> {
  const token = tokens.current()
  if (!token) throw { kind: 'no-session' } satisfies Problem
  let response = await post(body, token)
  if (response.status === 401) {
    const renewed = await tokens.renew(token).catch(() => token)
    if (!renewed) throw { kind: 'no-session' } satisfies Problem
    if (renewed !== token) response = await post(body, renewed)
  }
  const answer: unknown = await response.json().catch(() => null)
  if (!response.ok) throw answerProblem(response.status, response.statusText, answer)
  if (!isAnswer(answer)) throw { kind: 'network' } satisfies Problem
  return answer
}

function isAnswer(value: unknown): value is HandOffAnswer {
  const { code, session } = (value ?? {}) as { code?: unknown; session?: unknown }
  return typeof code === 'string' || (typeof session === 'object' && session !== null)
}
