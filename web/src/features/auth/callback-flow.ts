import { paths } from '@/config/paths'
import type { Session } from '@/lib/api/types'
import { isRedirect } from '@/lib/auth/return-to'
import { type AppError, type AppLink, appLink, withError } from './callback-link'
import { handOffFragment, handOffSession, type TokenFragment } from './hand-off'

/** Everything that the sign-in callback looks at. */
export interface CallbackRequest {
  /** What the `callback` parameter asks for: nothing, a link that is not ours, or the app. */
  link: AppLink | 'foreign' | null
  /** Comes back to the app unchanged, so that it knows its own request. */
  state: string | null
  redirect: string | null
  queryError: AppError | null
  hashError: AppError | null
  hashTokens: TokenFragment | null
  fromClosedBeta: boolean
}

/** How the callback ends. */
export type CallbackOutcome =
  /** Open the app; `signedIn` shows the success screen. */
  | { kind: 'app'; url: string; signedIn: boolean }
  | { kind: 'page'; path: string }
  /** Stay, and say that the link cannot be followed. */
  | { kind: 'refused' }

/** What the flow needs from the page. */
export interface CallbackPage {
  /** Resolves to null when signed out or when nobody answered. */
  readSession(): Promise<Session | null>
  wait(ms: number): Promise<void>
}

const SETTLE_MS = 1000
const TRIES = 3
const TRY_EVERY_MS = 1000
const REDIRECT_AFTER_MS = 500
const LAST_TRY_AFTER_MS = 3000

function errorIn(params: URLSearchParams): AppError | null {
  const error = params.get('error')
  if (!error) return null
  return {
    error,
    error_code: params.get('error_code'),
    error_description: params.get('error_description'),
  }
}

function cameFrom(referrer: string, origin: string, path: string): boolean {
  if (!URL.canParse(referrer)) return false
  const from = new URL(referrer)
  return from.origin === origin && from.pathname === path
}

/** Reads the request from the page's address and referrer. */
export function readCallbackRequest(address: URL, referrer: string): CallbackRequest {
  const query = address.searchParams
  const hash = new URLSearchParams(address.hash.slice(1))
  const callback = query.get('callback')
  const redirect = query.get('redirect')
  const accessToken = hash.get('access_token')
  return {
    link: callback === null ? null : (appLink(callback) ?? 'foreign'),
    state: query.get('state'),
    redirect: redirect !== null && isRedirect(redirect) ? redirect : null,
    queryError: errorIn(query),
    hashError: errorIn(hash),
    hashTokens: accessToken ? { ...Object.fromEntries(hash), access_token: accessToken } : null,
    fromClosedBeta: cameFrom(referrer, address.origin, paths.closedBeta),
  }
}

/** Decides where a sign-in goes on, in the order and with the pauses of spec section 4. */
export async function runCallback(
  request: CallbackRequest,
  page: CallbackPage,
): Promise<CallbackOutcome> {
  const link = request.link === 'foreign' ? null : request.link

  const error = request.queryError ?? request.hashError
  if (error) {
    return link
      ? { kind: 'app', url: withError(link, { ...error, state: request.state }), signedIn: false }
      : { kind: 'page', path: paths.home }
  }
  if (request.link === 'foreign') return { kind: 'refused' }
  if (request.hashTokens && link) {
    const url = handOffFragment(link, request.hashTokens, request.state)
    return url ? { kind: 'app', url, signedIn: true } : { kind: 'refused' }
  }

  const session = (await poll(page)) ?? (link ? await lastTry(page) : null)
  if (!session) return { kind: 'page', path: paths.home }
  if (link) {
    return { kind: 'app', url: handOffSession(link, session, request.state), signedIn: true }
  }
  if (request.redirect) {
    await page.wait(REDIRECT_AFTER_MS)
    return { kind: 'page', path: request.redirect }
  }
  return { kind: 'page', path: request.fromClosedBeta ? paths.closedBeta : paths.profile }
}

async function poll(page: CallbackPage): Promise<Session | null> {
  await page.wait(SETTLE_MS)
  for (let tries = 1; ; tries++) {
    const session = await page.readSession()
    if (session || tries === TRIES) return session
    await page.wait(TRY_EVERY_MS)
  }
}

async function lastTry(page: CallbackPage): Promise<Session | null> {
  await page.wait(LAST_TRY_AFTER_MS)
  return page.readSession()
}
