import { paths } from '@/config/paths'
import type { Session } from '@/lib/api/types'
import { returnToApp, returnToPage } from '@/lib/auth/return-to'
import { parseUrl } from '@/lib/parse-url'
import { expiringItem } from '@/lib/storage'
import { type AppRequest, readAppRequest, sameApp } from './app-request'

/**
 * The app that started the sign-in of this tab. The provider may redirect to a page whose address does not name it
 * (/auth/error); the tab remembers it, so that a retry still leads to the app. It expires after half an hour, as the
 * sign-in does.
 */
const item = expiringItem('fledge_pending_app', 30 * 60_000)

/** A sign-in that this tab has begun. */
export interface PendingSignIn {
  app: AppRequest
  /** The device that was signed in here when it began: null for none, undefined when that is unknown. */
  before: string | null | undefined
}

/** Keeps the app's request until the sign-in has come back. */
export function rememberApp(app: AppRequest, before: PendingSignIn['before']): void {
  item.set({ request: returnToApp(app).split('?')[1], before })
}

/** The sign-in, its request checked like one from an address; null when none is waiting. */
export function pendingSignIn(): PendingSignIn | null {
  const { request, before } = (item.get() ?? {}) as { request?: unknown; before?: unknown }
  const app = typeof request === 'string' ? readAppRequest(new URLSearchParams(request)) : null
  if (!app || app === 'invalid') return null
  return { app, before: typeof before === 'string' || before === null ? before : undefined }
}

/** Whether the address that a sign-in begins at is ours: there was a session, and nobody has to sign in. */
export function leadsBack(url: string): boolean {
  return parseUrl(url)?.origin === window.location.origin
}

/** Notes that the sign-in that waits began once more, at `url`: the session that leads back was not made by it. */
export function noteStart(url: string): void {
  const pending = pendingSignIn()
  if (pending && leadsBack(url)) rememberApp(pending.app, undefined)
}

/** The `return_to` of another try: to the app that waits for it, if one does. */
export const returnAgain = (app: AppRequest | null): string =>
  app ? returnToApp(app) : returnToPage(paths.profile)

export function forgetApp(): void {
  item.remove()
}

/** Whether `pending` is the sign-in that leads to `app` and has made `session`, which was not there when it began. */
export function madeSession(
  pending: PendingSignIn | null,
  app: AppRequest,
  session: Session,
): boolean {
  if (!pending || pending.before === undefined || !sameApp(pending.app, app)) return false
  const device = deviceOf(session)
  return device !== undefined && device !== pending.before
}

/** The device of a session, from its access token (`sid`); undefined when that cannot be read. */
export function deviceOf({ access_token }: Session): string | undefined {
  try {
    const payload = access_token.split('.')[1] ?? ''
    const claims: unknown = JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
    const { sid } = (claims ?? {}) as { sid?: unknown }
    return typeof sid === 'string' && sid !== '' ? sid : undefined
  } catch {
    return undefined
  }
}
