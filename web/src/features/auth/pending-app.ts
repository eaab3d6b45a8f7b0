import { returnToApp } from '@/lib/auth/return-to'
import { type AppRequest, readAppRequest } from './app-request'

/**
 * The app that started the sign-in of this tab. The way through the provider may end at a page whose
 * address knows nothing of it (/auth/error); the tab does, so that another try still leads to the app.
 */
const KEY = 'fledge_pending_app'
/** A sign-in has to be finished within half an hour. */
const LIFE_MS = 30 * 60_000

/** Keeps the app's request until the sign-in has come back. */
export function rememberApp(app: AppRequest): void {
  const search = returnToApp(app).split('?')[1]
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ search, at: Date.now() }))
  } catch {
    // Storage may be forbidden: another try then ends on the site.
  }
}

/** The app's request, checked like one from an address; null when none is waiting. */
export function pendingApp(): AppRequest | null {
  try {
    const { search, at } = JSON.parse(sessionStorage.getItem(KEY) ?? '{}') as Record<
      string,
      unknown
    >
    if (typeof search !== 'string' || typeof at !== 'number') return null
    const age = Date.now() - at
    const app = readAppRequest(new URLSearchParams(search))
    return age >= 0 && age < LIFE_MS && app !== 'invalid' ? app : null
  } catch {
    return null
  }
}

export function forgetApp(): void {
  try {
    sessionStorage.removeItem(KEY)
  } catch {
    // Nothing was kept.
  }
}
