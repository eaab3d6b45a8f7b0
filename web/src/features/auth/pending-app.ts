import { returnToApp } from '@/lib/auth/return-to'
import { expiringItem } from '@/lib/storage'
import { type AppRequest, readAppRequest } from './app-request'

/**
 * The app that started the sign-in of this tab. The provider may redirect to a page whose address does not name it
 * (/auth/error); the tab remembers it, so that a retry still leads to the app. It expires after half an hour, as the
 * sign-in does.
 */
const item = expiringItem('fledge_pending_app', 30 * 60_000)

/** Keeps the app's request until the sign-in has come back. */
export function rememberApp(app: AppRequest): void {
  item.set(returnToApp(app).split('?')[1])
}

/** The app's request, checked like one from an address; null when none is waiting. */
export function pendingApp(): AppRequest | null {
  const search = item.get()
  const app = typeof search === 'string' ? readAppRequest(new URLSearchParams(search)) : null
  return app === 'invalid' ? null : app
}

export function forgetApp(): void {
  item.remove()
}
