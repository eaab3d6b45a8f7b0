import type { Session, User } from '@/lib/api/types'
import { type AppRequest, withTokens } from './app-request'

/** Tokens as they stand in the fragment of an address. */
export type TokenFragment = URLSearchParams

/** The values that make up a session; nothing else of a fragment reaches the app. */
const FIELDS = ['access_token', 'refresh_token', 'expires_in', 'expires_at', 'token_type'] as const

/** What every token that we issue is, and no longer: what a header can carry. */
const TOKEN = /^[\x21-\x7e]{0,8192}$/

/** The address that opens the app with a session of its own, and with whom it belongs to. */
export function sendSession(app: AppRequest, session: Session): string {
  const values = FIELDS.map((name) => [name, String(session[name])])
  const { id: user_id, email } = session.user
  return withTokens(app, { user_id, email, ...Object.fromEntries(values) })
}

/** Whether the tokens of `fragment` can be ours, by their length and their characters. */
export function canBeOurs(fragment: TokenFragment): boolean {
  return FIELDS.every((name) => TOKEN.test(fragment.get(name) ?? ''))
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
