import type { EventName } from './analytics'
import { onProblem } from './problems'

/** A label long enough to tell buttons apart and too short to carry what a person typed. */
const LABEL = 60

type Properties = Record<string, string>

/** The client is loaded for the first event; a browser that cannot load it simply sends none. */
function send(event: EventName, properties: Properties = {}): void {
  void import('./analytics').then(({ track }) => track(event, properties)).catch(() => {})
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
  document.addEventListener(
    'click',
    ({ target }) => {
      const button = target instanceof Element ? target.closest('button') : null
      if (button) send('Button Click', { label: (button.textContent ?? '').trim().slice(0, LABEL) })
    },
    options,
  )
  document.addEventListener(
    'submit',
    ({ target }) => {
      if (target instanceof HTMLFormElement) {
        send('Form Submission', { form: target.getAttribute('name') ?? '' })
      }
    },
    options,
  )
  window.addEventListener('error', ({ message }) => send('Error', { message }), options)
  stop.signal.addEventListener(
    'abort',
    onProblem((message) => send('Error', { message })),
  )
  return () => stop.abort()
}

let viewed: string | null = null

/** Records a view of the page at its current location, unless that is the one recorded last. */
export function recordView(): void {
  // A click on an anchor is a popstate and a hashchange, a step back a popstate and a new path.
  if (viewed === window.location.href) return
  viewed = window.location.href
  send('Page View')
}
