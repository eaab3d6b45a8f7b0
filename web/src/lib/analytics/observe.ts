import button from '@/components/button.module.css'
import { onAddressChange } from '../address'
import { onProblem } from './problems'
import type { EventName, Subject } from './service'

/** A label long enough to tell buttons apart and too short to carry what a person typed. */
const LABEL = 60

/** What people click on as on a button: links that look like one, too. */
const buttons = [
  ...['button', '[role="button"]', '[role="menuitem"]', 'a.chakra-button'],
  ...[button.primary, button.secondary].map((look) => `a.${look}`),
].join()

/** An address in a text; whose it is concerns nobody. */
const email = /\S+@\S+/g

/** The client is loaded for the first event; a browser that cannot load it simply sends none. */
function send(event: EventName, subject?: Subject, at = window.location.href): void {
  void import('./analytics').then(({ track }) => track(event, subject, new URL(at))).catch(() => {})
}

/** Sends `event` about what `text` tells of it. */
function tell(event: EventName, text: string): void {
  send(event, { label: text.trim().replace(email, '…') })
}

/** What a control is called: its text, or what it is named for those who do not see it. */
function nameOf(control: Element): string {
  return (control.getAttribute('aria-label') ?? control.textContent ?? '').trim().slice(0, LABEL)
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
  document.addEventListener(
    'click',
    ({ target }) => {
      const clicked = target instanceof Element ? target.closest(buttons) : null
      // The answer to the question itself is not measured.
      if (clicked && !clicked.closest('[data-consent]')) tell('Button Click', nameOf(clicked))
    },
    options,
  )
  document.addEventListener(
    'submit',
    ({ target }) => {
      if (target instanceof HTMLFormElement) {
        tell('Form Submission', target.getAttribute('name') ?? '')
      }
    },
    options,
  )
  // The capture also sees what an element could not load, which says nothing.
  window.addEventListener('error', ({ message }) => message && tell('Error', message), options)
  window.addEventListener(
    'unhandledrejection',
    ({ reason }) => tell('Error', reason instanceof Error ? reason.message : String(reason)),
    options,
  )
  for (const end of [
    onAddressChange(() => recordView()),
    onProblem((message) => tell('Error', message)),
  ]) {
    stop.signal.addEventListener('abort', end)
  }
  return () => stop.abort()
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
