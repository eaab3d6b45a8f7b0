import { string, union } from 'valibot'
import { type AccessTokens, requestJson } from './http'
import { patiently } from './patiently'
import { sessionShape } from './session'
import { shape } from './shape'
import type { HandOffAnswer, HandOffRequest } from './types'

const TIMEOUT_MS = 10_000

const answerShape = union([
  shape<Extract<HandOffAnswer, { code: string }>>({ code: string() }),
  shape<Extract<HandOffAnswer, { session: object }>>({ session: sessionShape }),
])

/**
 * Asks for what opens the app: a code when the request has a challenge, else a session of the app's
 * own. Rejects with a `Problem`. Not over RTK: the answer holds secrets, which must not enter the
 * store.
 */
export function handOff(body: HandOffRequest, tokens: AccessTokens): Promise<HandOffAnswer> {
  const options = { method: 'POST', body, tokens, timeout: TIMEOUT_MS } as const
  return patiently(() => requestJson<HandOffAnswer>('/api/auth/hand-off', options, answerShape))
}
