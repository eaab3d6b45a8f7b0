import type { Session, User } from '@/lib/api/types'
import { type AppRequest, withTokens } from './app-request'

/** Tokens as they stand in the fragment of an address. */
export type TokenFragment = URLSearchParams

/** The values that make up a session; nothing else of a fragment reaches the app. */
const FIELDS = ['access_token', 'refresh_token', 'expires_in', 'expires_at', 'token_type'] as const

/** Longer than any token that we issue. */
const MAX_TOKEN = 8192

/** The address that opens the app with a session of its own, and with whom it belongs to. */
export function sendSession(app: AppRequest, session: Session): string {
  const values = FIELDS.map((name) => [name, String(session[name])])
  const { id: user_id, email } = session.user
  return withTokens(app, { user_id, email, ...Object.fromEntries(values) })
}

/** Whether the tokens of `fragment` can be ours, by their length. */
export function canBeOurs(fragment: TokenFragment): boolean {
  return FIELDS.every((name) => (fragment.get(name) ?? '').length <= MAX_TOKEN)
}

/** The address that opens the app with the tokens of `fragment`, which are those of `owner`. */
export function forwardTokens(app: AppRequest, fragment: TokenFragment, owner: User): string {
  const values: Record<string, string> = { user_id: owner.id, email: owner.email }
  for (const name of FIELDS) {
    const value = fragment.get(name)
    if (value) values[name] = value
  }
  return withTokens(app, values)
}
