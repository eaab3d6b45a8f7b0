import { answerProblem, type Problem } from './problem'
import type { SignInErrorCode, SignInFlow } from './types'

const TIMEOUT_MS = 10_000

async function read<Answer>(path: string, id: string): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(`/api/auth/kratos/self-service/${path}?id=${encodeURIComponent(id)}`, {
      credentials: 'same-origin',
      cache: 'no-store',
      headers: { Accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
  } catch {
    throw { kind: 'network' } satisfies Problem
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw answerProblem(response.status, response.statusText, body)
  return body as Answer
}

/** Reads a sign-in that waits for a decision (`login`) or was refused (`registration`). */
export function readSignInFlow(kind: 'login' | 'registration', id: string): Promise<SignInFlow> {
  return read<SignInFlow>(`${kind}/flows`, id)
}

/** Reads why a sign-in ended at the error page. Both readers reject with a `Problem`. */
export async function readSignInError(id: string): Promise<SignInErrorCode> {
  const { code } = await read<{ code: SignInErrorCode }>('errors', id)
  return code
}
