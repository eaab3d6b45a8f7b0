import { isAppCallback, isState } from '@/lib/auth/return-to'
import { type AppError, type AppRequest, withError } from './app-request'

/**
 * The authorization request of an OAuth library (RFC 6749, section 4.1.1, with RFC 7636). What it names otherwise is
 * `redirect_uri`, our `callback`; `client_id`, `scope` and whatever else it sends count for nothing.
 */
export function isOAuth(query: URLSearchParams): boolean {
  return query.has('redirect_uri') && !query.has('callback')
}

/** The request under our names. A parameter that came twice still does. */
export function fromOAuth(query: URLSearchParams): URLSearchParams {
  const ours = new URLSearchParams()
  for (const [name, value] of query) ours.append(name === 'redirect_uri' ? 'callback' : name, value)
  return ours
}

/** What is wrong with a request whose callback is the app's, under OAuth's names; null when nothing is. */
export function oauthError(query: URLSearchParams, app: AppRequest): AppError | null {
  const [type, ...others] = query.getAll('response_type')
  if (!type || others.length > 0) return invalid('response_type is needed once')
  if (type !== 'code') {
    return { error: 'unsupported_response_type', error_description: 'response_type is not code' }
  }
  return app.challenge === null ? invalid('code_challenge is missing') : null
}

/**
 * Where the app is told that its request is none, such as one with the challenge method `plain` (RFC 7636, section 4.4.1);
 * null when the callback is not the app's, which nobody may be led to.
 */
export function malformed(query: URLSearchParams): string | null {
  const [callback = '', ...others] = query.getAll('callback')
  if (others.length > 0 || !isAppCallback(callback, true)) return null
  const [state = '', ...more] = query.getAll('state')
  const told = { callback, state: more.length === 0 && isState(state) ? state : null }
  return withError(told, invalid('state, or code_challenge with the method S256, is malformed'))
}

function invalid(error_description: string): AppError {
  return { error: 'invalid_request', error_description }
}
