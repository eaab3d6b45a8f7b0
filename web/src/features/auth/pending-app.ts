import { returnToApp } from '@/lib/auth/return-to'
import { tabNote } from '@/lib/storage'
import { type AppRequest, readAppRequest } from './app-request'

/**
 * The app that started the sign-in of this tab. The way through the provider may end at a page whose
 * address knows nothing of it (/auth/error); the tab does, so that another try still leads to the app.
 * A sign-in has to be finished within half an hour.
 */
const note = tabNote('fledge_pending_app', 30 * 60_000)

/** Keeps the app's request until the sign-in has come back. */
export function rememberApp(app: AppRequest): void {
  note.set(returnToApp(app).split('?')[1])
}

/** The app's request, checked like one from an address; null when none is waiting. */
export function pendingApp(): AppRequest | null {
  const search = note.get()
  const app = typeof search === 'string' ? readAppRequest(new URLSearchParams(search)) : null
  return app === 'invalid' ? null : app
}

export function forgetApp(): void {
  note.remove()
}
