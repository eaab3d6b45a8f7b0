import { appParameters, type AppTarget, isAppCallback, isAppQuery } from '@/lib/auth/return-to'

/** The app that waits for a sign-in; only `readAppRequest` makes one. */
export type AppRequest = AppTarget & { readonly kind: unique symbol }

/**
 * Reads the app's request from the parameters of an address: null when there is none, 'invalid'
 * when the app cannot have made it. A challenge or state that is not one spoils the whole request:
 * leaving it out would give the app less protection than it asked for.
 */
export function readAppRequest(query: URLSearchParams): AppRequest | 'invalid' | null {
  const callback = query.get('callback')
  if (callback === null) return null
  const target = isAppQuery((name) => query.get(name) ?? undefined)
  const doubled = appParameters.some((name) => query.getAll(name).length > 1)
  if (!target || doubled) return 'invalid'
  return {
    callback,
    state: query.get('state'),
    challenge: query.get('code_challenge'),
  } as AppRequest
}

/** Whether both are the same request of the same app. */
export function sameApp(a: AppRequest, b: AppRequest): boolean {
  return a.callback === b.callback && a.state === b.state && a.challenge === b.challenge
}

/** Whether the app may be given tokens: without a challenge, and at its registered link alone. */
export function takesTokens({ callback, challenge }: AppRequest): boolean {
  return challenge === null && isAppCallback(callback, false)
}

/** What the app is told when a sign-in failed, under OAuth's names. */
export interface AppError {
  error: string
  error_code?: string | null
  error_description?: string | null
}

const MAX_VALUE = 512

/** The app's link with an error in its query; values are escaped and capped. */
export function withError(
  { callback, state }: Pick<AppTarget, 'callback' | 'state'>,
  error: AppError,
): string {
  const { error_code, error_description } = error
  const values = Object.entries({ error: error.error, error_code, error_description, state })
  const query = new URLSearchParams()
  for (const [name, value] of values) {
    if (value) query.set(name, value.slice(0, MAX_VALUE))
  }
  return `${callback}?${query}`
}

/** The app's link with a code in its query. */
export function withCode({ callback, state }: AppRequest, code: string): string {
  return `${callback}?${new URLSearchParams({ code, ...(state !== null && { state }) })}`
}

/** The app's link with tokens in its fragment, which no server and no referrer ever sees. */
export function withTokens(
  { callback, state }: AppRequest,
  values: Readonly<Record<string, string>>,
): string {
  return `${callback}#${new URLSearchParams({ ...values, ...(state !== null && { state }) })}`
}
