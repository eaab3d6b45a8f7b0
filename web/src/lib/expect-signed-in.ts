import { readSignedInHint } from './hint-cookie'

/**
 * Fetches code that is shown to whoever is signed in, while the session is still asked for. Nothing
 * happens for somebody who does not seem to be; `load` is called again when the code is needed.
 */
export function expectSignedIn(load: () => Promise<unknown>): void {
  if (typeof document === 'undefined' || readSignedInHint(document.cookie) === null) return
  load().catch(() => {})
}
