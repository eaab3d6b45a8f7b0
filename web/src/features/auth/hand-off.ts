import type { Session } from '@/lib/api/types'
import { type AppLink, withFragment } from './callback-link'

/** Tokens as they stand in a URL fragment: everything is text. */
export type TokenFragment = Record<string, string> & { access_token: string }

/** The values that make up a session; nothing else of a fragment reaches the app. */
const FIELDS = ['access_token', 'refresh_token', 'expires_in', 'expires_at', 'token_type'] as const

/** Hands the session to the app behind `link`: the address that opens it. */
export function handOffSession(link: AppLink, session: Session, state: string | null): string {
  const values = FIELDS.map((name): [string, string] => [name, String(session[name])])
  return withFragment(link, { ...Object.fromEntries(values), ...(state && { state }) })
}

/**
 * Hands on tokens that arrived in this page's own fragment, with whom they belong to.
 * Returns null when the access token is not a readable JWT with a subject.
 */
export function handOffFragment(
  link: AppLink,
  fragment: TokenFragment,
  state: string | null,
): string | null {
  const owner = tokenOwner(fragment.access_token)
  if (!owner) return null
  const values: Record<string, string> = { user_id: owner.sub, email: owner.email }
  for (const name of FIELDS) {
    const value = fragment[name]
    if (value) values[name] = value
  }
  if (state) values.state = state
  return withFragment(link, values)
}

/** Longer than any token that we issue, short enough to decode without noticing. */
const MAX_TOKEN = 8192

/** Reads `sub` and `email` of a JWT's payload, unverified: only the app's own calls prove them. */
export function tokenOwner(token: string): { sub: string; email: string } | null {
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
