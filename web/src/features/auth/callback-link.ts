import { isAppCallback } from '@/lib/auth/return-to'

/** The link that opens the desktop app; only `appLink` makes one. */
export type AppLink = string & { readonly kind: unique symbol }

/**
 * Admits a `callback` parameter only when it is the app's registered link. Loopback addresses need
 * a code with PKCE to be handed over: tokens go to the registered scheme alone.
 */
export function appLink(raw: string): AppLink | null {
  return isAppCallback(raw, false) ? (raw as AppLink) : null
}

/** What the app is told when a sign-in failed: the spec's three parameters, and its own `state`. */
export interface AppError {
  error: string
  error_code?: string | null
  error_description?: string | null
  state?: string | null
}

const MAX_VALUE = 512

/** The app's link carrying an error in its query; values are escaped and capped. */
export function withError(link: AppLink, error: AppError): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(error)) {
    if (value) query.set(name, value.slice(0, MAX_VALUE))
  }
  return `${link}?${query}`
}

/** The app's link carrying values in its fragment, which no server and no referrer ever sees. */
export function withFragment(link: AppLink, values: Record<string, string>): string {
  return `${link}#${new URLSearchParams(values)}`
}
