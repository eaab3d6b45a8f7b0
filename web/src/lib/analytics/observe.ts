import { onProblem } from './problems'
import type { EventName, Subject } from './service'

/** A label long enough to tell buttons apart and too short to carry what a person typed. */
const LABEL = 60

/** The client is loaded for the first event; a browser that cannot load it simply sends none. */
function send(event: EventName, subject?: Subject): void {
  void import('./analytics').then(({ track }) => track(event, subject)).catch(() => {})
}

/** Asks a visitor who has not answered yet, where there is something to ask for. */
function ask(): void {
  void import('./ask').then(({ askForConsent }) => askForConsent()).catch(() => {})
}

/**
 * Records page views on every location change, button clicks, form submissions (by the form's name,
 * never its values) and errors. The returned function stops it.
 */
export function observePage(): () => void {
  const stop = new AbortController()
  const options = { signal: stop.signal, capture: true }
  window.addEventListener('hashchange', recordView, options)
  window.addEventListener('popstate', recordView, options)
  // Also tells of addresses that a script writes; where it is missing, the router tells of new paths.
  window.navigation?.addEventListener('currententrychange', recordView, options)
  document.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      // The answer to the question itself is not measured.
      if (!button || button.closest('[data-consent]')) return
      send('Button Click', { label: (button.textContent ?? '').trim().slice(0, LABEL) })
    },
    options,
  )
  document.addEventListener(
    'submit',
    ({ target }) => {
      if (target instanceof HTMLFormElement) {
        send('Form Submission', { label: target.getAttribute('name') ?? '' })
      }
    },
    options,
  )
  window.addEventListener('error', ({ message }) => send('Error', { label: message }), options)
  stop.signal.addEventListener(
    'abort',
    onProblem((message) => send('Error', { label: message })),
  )
  return () => stop.abort()
}

let viewed: string | null = null

/**
 * Records a view of the page at its current location, unless that is the one recorded last; asks for
 * the consent to it first.
 */
export function recordView(): void {
  // One step of the history is told by several events.
  if (viewed === window.location.href) return
  viewed = window.location.href
  ask()
  send('Page View')
}
