import { answerProblem, type Problem } from './problem'
import type { Provider } from './types'

/** Start anew and come back to a page of the site, or go on with a flow that waits for a decision. */
export type SignInStart = { return_to: string } | { flow: string }

const TIMEOUT_MS = 15_000

/**
 * Starts a sign-in and resolves to the address to navigate to: the provider's page.
 * Rejects with a `Problem`. Plain fetch, so that the sign-in dialog weighs nothing.
 */
export async function startSignIn(provider: Provider, start: SignInStart): Promise<string> {
  let response: Response
  try {
    response = await fetch(`/api/auth/signin/${provider}`, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json' },
      body: JSON.stringify(start),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    throw { kind: 'network' } satisfies Problem
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw answerProblem(response.status, response.statusText, body)
  const url = (body as { url?: unknown } | null)?.url
  if (typeof url !== 'string') throw { kind: 'network' } satisfies Problem
  return url
}
