import type { AppError, AppRequest } from './app-request'

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

function invalid(error_description: string): AppError {
  return { error: 'invalid_request', error_description }
}
