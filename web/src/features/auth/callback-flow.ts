import { paths } from '@/config/paths'
import type { Session, User } from '@/lib/api/types'
import { isRedirect, isRegistered } from '@/lib/auth/return-to'
import { parseUrl } from '@/lib/parse-url'
import {
  type AppError,
  type AppRequest,
  readAppRequest,
  takesTokens,
  withError,
} from './app-request'
import { wasOpened } from './opened'
import { canBeOurs, forwardTokens, type TokenFragment } from './token-fragment'

/** The input of the sign-in callback. */
export interface CallbackRequest {
  /** The app that waits, if one does; 'invalid' is a request that the app cannot have made. */
  app: AppRequest | 'invalid' | null
  redirect: string | null
  queryError: AppError | null
  hashError: AppError | null
  hashTokens: TokenFragment | null
  fromClosedBeta: boolean
  /** Whether this address has told the app before: the page was reloaded, or its tab duplicated. */
  opened: boolean
}

/** Why the callback was refused. */
export type Refusal = 'invalid' | 'not-verified' | 'tokens-off' | 'disabled'

/** How the callback ends. */
export type CallbackOutcome =
  /** Tell the app at `url` what went wrong: automatically (`atOnce`), or when the person clicks. */
  | { kind: 'failed'; url: string; atOnce: boolean }
  /** Open the app at `url`, which carries the tokens of `owner` from the address, when the person agrees. */
  | { kind: 'tokens'; app: AppRequest; url: string; owner: User }
  /** Hand the session over to the app: automatically (`atOnce`), or when the person agrees. */
  | { kind: 'hand-off'; app: AppRequest; atOnce: boolean }
  | { kind: 'page'; path: string }
  /** The server did not answer, so it is unknown whether there is a session. */
  | { kind: 'unreachable' }
  /** The same, so it is unknown whose the tokens in the address are, or whether they or the app's link are accepted. */
  | { kind: 'unverified' }
  /** Show why the request was refused. */
  | { kind: 'refused'; refusal: Refusal }

/** What the server says about the session: null when signed out. */
export type SessionAnswer = Session | null | 'disabled' | 'unreachable'

/** What the flow needs from the page. */
export interface CallbackPage {
  readSession(): Promise<SessionAnswer>
  /** Whether the session was made by a sign-in that this tab began for the app. */
  signedInFor(app: AppRequest, session: Session): boolean
  /** Whose token this is; null when the API refuses it. */
  tokenOwner(token: string): Promise<User | null>
  /** Whether this installation lets tokens pass through an address; rejects while that is unknown. */
  mayForwardTokens(): Promise<boolean>
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
  const from = parseUrl(referrer)
  return from?.origin === origin && from.pathname === path
}

/** Reads the request from the address that the page was opened with, and from its referrer. */
export function readCallbackRequest(address: URL, referrer: string): CallbackRequest {
  const query = address.searchParams
  const hash = new URLSearchParams(address.hash.slice(1))
  const redirect = query.get('redirect')
  return {
    app: readAppRequest(query),
    redirect: redirect !== null && isRedirect(redirect) ? redirect : null,
    queryError: errorIn(query),
    hashError: errorIn(hash),
    hashTokens: hash.get('access_token') ? hash : null,
    fromClosedBeta: cameFrom(referrer, address.origin, paths.closedBeta),
    opened: wasOpened(query),
  }
}

/**
 * Decides where a sign-in goes on: first an error, then tokens in the address, then the session. The session is
 * polled, since its cookie may arrive late. Any page can lead here, so the person is asked before the app gets anything,
 * unless they have just signed in for it. Whoever listens on a loopback address cannot be told, so there they always are.
 */
export async function runCallback(
  request: CallbackRequest,
  page: CallbackPage,
): Promise<CallbackOutcome> {
  const app = request.app === 'invalid' ? null : request.app

  const error = request.queryError ?? request.hashError
  if (error) {
    return app
      ? { kind: 'failed', url: withError(app, error), atOnce: !request.opened }
      : { kind: 'page', path: paths.home }
  }
  if (request.app === 'invalid') return { kind: 'refused', refusal: 'invalid' }
  if (request.hashTokens && app) return passOn(app, request.hashTokens, page)

  let session = await poll(page)
  if (app && !isSession(session) && session !== 'disabled') {
    await page.wait(LAST_TRY_AFTER_MS)
    session = await page.readSession()
  }
  if (session === 'unreachable') return { kind: 'unreachable' }
  if (session === 'disabled') {
    if (!app) return { kind: 'refused', refusal: 'disabled' }
    const error = { error: 'server_error', error_code: 'account_disabled' }
    return { kind: 'failed', url: withError(app, error), atOnce: !request.opened }
  }
  if (!session) return { kind: 'page', path: paths.home }
  if (app) {
    const atOnce = isRegistered(app.callback) && page.signedInFor(app, session)
    return { kind: 'hand-off', app, atOnce }
  }
  if (request.redirect) {
    await page.wait(REDIRECT_AFTER_MS)
    return { kind: 'page', path: request.redirect }
  }
  return { kind: 'page', path: request.fromClosedBeta ? paths.closedBeta : paths.profile }
}

async function passOn(
  app: AppRequest,
  tokens: TokenFragment,
  page: CallbackPage,
): Promise<CallbackOutcome> {
  // An app that sent a PKCE challenge expects a code: tokens in the address come from somebody else.
  if (!takesTokens(app)) return { kind: 'refused', refusal: 'invalid' }
  const allowed = await answered(page, () => page.mayForwardTokens())
  if (allowed === 'unreachable') return { kind: 'unverified' }
  if (!allowed) return { kind: 'refused', refusal: 'tokens-off' }
  const token = tokens.get('access_token') ?? ''
  const owner = canBeOurs(tokens) ? await answered(page, () => page.tokenOwner(token)) : null
  if (owner === 'unreachable') return { kind: 'unverified' }
  if (!owner) return { kind: 'refused', refusal: 'not-verified' }
  return { kind: 'tokens', app, url: forwardTokens(app, tokens, owner), owner }
}

/** What the server says, which is asked as often as for the session. */
async function answered<Answer>(
  page: CallbackPage,
  ask: () => Promise<Answer>,
): Promise<Answer | 'unreachable'> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch {
      if (tries === TRIES) return 'unreachable'
      await page.wait(TRY_EVERY_MS)
    }
  }
}

function isSession(answer: SessionAnswer): answer is Session {
  return answer !== null && answer !== 'unreachable' && answer !== 'disabled'
}

async function poll(page: CallbackPage): Promise<SessionAnswer> {
  await page.wait(SETTLE_MS)
  for (let tries = 1; ; tries++) {
    const session = await page.readSession()
    if (isSession(session) || session === 'disabled' || tries === TRIES) return session
    await page.wait(TRY_EVERY_MS)
  }
}
