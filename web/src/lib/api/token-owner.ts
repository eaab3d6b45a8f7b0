import { requestJson } from './http'
import { isProblem } from './problem'
import { userShape } from './session'
import type { User } from './types'

/**
 * Whom an access token speaks for, as the API says that has verified it: null when the token is not good. Rejects with a
 * `Problem` when there is no answer.
 */
export async function tokenOwner(token: string): Promise<User | null> {
  try {
    const headers = { Authorization: `Bearer ${token}` }
    return await requestJson<User>('/api/auth/user', { headers }, userShape)
  } catch (problem) {
    if (isProblem(problem) && problem.kind === 'answer' && problem.status === 401) return null
    throw problem
  }
}
