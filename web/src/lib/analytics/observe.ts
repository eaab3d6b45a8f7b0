import { onAddressChange } from '../address'
import { isName } from './names'
import { onProblem } from './problems'
import type { EventName, Subject } from './service'

/** The analytics client is lazy-loaded with the first event; if that fails, nothing is sent. */
function send(event: EventName, subject?: Subject, at = window.location.href): void {
  void import('./analytics').then(({ track }) => track(event, subject, new URL(at))).catch(() => {})
}

/** Sends `event` with `name`, an identifier from the code; anything else is not sent. */
function tell(event: EventName, name: string | null | undefined): void {
  if (isName(name)) send(event, { label: name })
}

/** The class name of an error; never its message, which may hold personal data. */
function kindOf(error: unknown): string {
  const kind = error instanceof Error ? error.name : ''
  return /^[A-Z][A-Za-z]{2,39}$/.test(kind) ? kind : 'Error'
}

/** Loads the consent banner, which shows itself where it is needed. */
function ask(): void {
  void import('./consent-banner').then(({ askForConsent }) => askForConsent()).catch(() => {})
}

/**
 * Records page views on every location change, clicks on what has a `data-event`, form submissions (by
 * the form's name, never its values) and errors. All labels are names that the code gives. The returned
 * function stops it.
 */
export function observePage(): () => void {
  const stop = new AbortController()
  const options = { signal: stop.signal, capture: true }
  document.addEventListener(
    'click',
    ({ target }) => {
      const control = target instanceof Element ? target.closest('[data-event]') : null
      tell('Button Click', control?.getAttribute('data-event'))
    },
    options,
  )
  document.addEventListener(
    'submit',
    ({ target }) => {
      if (target instanceof HTMLFormElement) tell('Form Submission', target.getAttribute('name'))
    },
    options,
  )
  // In the capture phase an element's failure to load arrives here, too; it is no error of the page.
  window.addEventListener(
    'error',
    ({ message, error }: ErrorEvent) => message && send('Error', { label: kindOf(error) }),
    options,
  )
  window.addEventListener(
    'unhandledrejection',
    ({ reason }) => send('Error', { label: kindOf(reason) }),
    options,
  )
  for (const end of [
    onAddressChange(() => recordView()),
    onProblem((name) => tell('Error', name)),
  ]) {
    stop.signal.addEventListener('abort', end)
  }
  return () => stop.abort()
}

/** Records a problem of a page whose observer has stopped; `name` as in `announceProblem`. */
export function recordProblem(name: string): void {
  tell('Error', name)
}

let viewed: string | null = null

/**
 * Records a view of the page at the address `at`, unless that is the one recorded last. Loads the consent banner
 * first.
 */
export function recordView(at = window.location.href): void {
  // One navigation fires several events.
  if (viewed === at) return
  viewed = at
  ask()
  send('Page View', undefined, at)
}
