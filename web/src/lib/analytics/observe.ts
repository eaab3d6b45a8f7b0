import { onAddressChange } from '../address'
import { isName } from './names'
import { onProblem } from './problems'
import type { EventName, Subject } from './service'

/** The client is loaded for the first event; a browser that cannot load it simply sends none. */
function send(event: EventName, subject?: Subject, at = window.location.href): void {
  void import('./analytics').then(({ track }) => track(event, subject, new URL(at))).catch(() => {})
}

/** Sends `event` about what the code calls `name`; what is no name is not sent. */
function tell(event: EventName, name: string | null | undefined): void {
  if (isName(name)) send(event, { label: name })
}

/** The class of an error, as code names it; never its message, which may tell of a person. */
function kindOf(error: unknown): string {
  const kind = error instanceof Error ? error.name : ''
  return /^[A-Z][A-Za-z]{2,39}$/.test(kind) ? kind : 'Error'
}

/** Asks a visitor who has not answered yet, where there is something to ask for. */
function ask(): void {
  void import('./ask').then(({ askForConsent }) => askForConsent()).catch(() => {})
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
  // The capture also sees what an element could not load, which says nothing.
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

/** Records a problem of a page that nobody observes any more; `name` as in `announceProblem`. */
export function recordProblem(name: string): void {
  tell('Error', name)
}

let viewed: string | null = null

/**
 * Records a view of the page at the address `at`, unless that is the one recorded last; asks for the
 * consent to it first.
 */
export function recordView(at = window.location.href): void {
  // One step of the history is told by several events.
  if (viewed === at) return
  viewed = at
  ask()
  send('Page View', undefined, at)
}
