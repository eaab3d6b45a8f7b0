import { requestJson } from './http'
import { isProblem, mayAnswerLater } from './problem'
import { userShape } from './session'
import type { User } from './types'

/**
 * Whom an access token speaks for, as the API says that has verified it: null when the token is refused. Rejects with a
 * `Problem` while the API does not say: it does not answer or not as known, has failed, or is asked too often.
 */
export async function tokenOwner(token: string): Promise<User | null> {
  try {
    const headers = { Authorization: `Bearer ${token}` }
    return await requestJson<User>('/api/auth/user', { headers }, userShape)
  } catch (problem) {
    if (isProblem(problem) && mayAnswerLater(problem)) throw problem
    return null
  }
}
