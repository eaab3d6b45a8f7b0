import { readSignedInHint } from '@/lib/hint-cookie'

declare global {
  interface Window {
    /** Set by the early script: the answer to the page's first question for the session, once. */
    takeEarlySession?: () => Promise<Response> | null
  }
}

/** Nobody waits longer for an answer about the session, in milliseconds. */
export const TIMEOUT_MS = 10_000

function request(): Promise<Response> {
  return fetch('/api/auth/session', {
    credentials: 'same-origin',
    cache: 'no-store',
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
}

/** Asks for the session while the page's scripts are still on their way, if somebody seems signed in. */
export function requestSessionEarly(): void {
  if (readSignedInHint(document.cookie) === null) return
  let answer: Promise<Response> | null = request()
  // Whoever takes it is told; until then a failure is nobody's.
  answer.catch(() => {})
  window.takeEarlySession = () => {
    const once = answer
    answer = null
    return once
  }
}

/** Asks for the session, or takes the answer to the early question. */
export function requestSession(): Promise<Response> {
  return window.takeEarlySession?.() ?? request()
}
