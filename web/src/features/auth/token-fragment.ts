import type { Session } from '@/lib/api/types'
import { type AppRequest, withTokens } from './app-request'

/** Tokens as they stand in the fragment of an address. */
export type TokenFragment = URLSearchParams

/** The values that make up a session; nothing else of a fragment reaches the app. */
const FIELDS = ['access_token', 'refresh_token', 'expires_in', 'expires_at', 'token_type'] as const

/** Longer than any token that we issue, short enough to decode without noticing. */
const MAX_TOKEN = 8192

/** The address that opens the app with a session of its own, and with whom it belongs to. */
export function sendSession(app: AppRequest, session: Session): string {
  const values = FIELDS.map((name) => [name, String(session[name])])
  const { id: user_id, email } = session.user
  return withTokens(app, { user_id, email, ...Object.fromEntries(values) })
}

/**
 * The address that opens the app with the tokens of `fragment`, and with whom they belong to.
 * Null when the access token is not a readable JWT with a subject, or a value is longer than any.
 */
export function forwardTokens(app: AppRequest, fragment: TokenFragment): string | null {
  const owner = tokenOwner(fragment.get('access_token') ?? '')
  if (!owner) return null
  const values: Record<string, string> = { user_id: owner.sub, email: owner.email }
  for (const name of FIELDS) {
    const value = fragment.get(name) ?? ''
    if (value.length > MAX_TOKEN) return null
    if (value) values[name] = value
  }
  return withTokens(app, values)
}

/** Reads `sub` and `email` of a JWT's payload, unverified: only the app's own calls prove them. */
function tokenOwner(token: string): { sub: string; email: string } | null {
  const payload = token.length <= MAX_TOKEN ? token.split('.')[1] : undefined
  if (!payload) return null
  try {
    const base64 = payload.replaceAll('-', '+').replaceAll('_', '/')
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes))
    const { sub, email } = (claims ?? {}) as { sub?: unknown; email?: unknown }
    if (typeof sub !== 'string' || sub === '') return null
    return { sub, email: typeof email === 'string' ? email : '' }
  } catch {
    return null
  }
}
