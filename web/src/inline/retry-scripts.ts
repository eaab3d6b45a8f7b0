/**
 * Inline: retries a script or style sheet of the page that fails to load (a rollout between two versions, a change of
 * network), and shows a notice when all retries fail, or while a script neither arrives nor fails. Chunks that Next
 * loads on demand are retried by Next itself.
 */
export function retryScripts(): void {
  const DELAYS_MS = [200, 600, 1500, 4000]
  const SILENT_MS = 15_000
  const attempts: Record<string, number> = {}
  let waiting: (() => void)[] = []
  /** What the notice is about. */
  const missing = new Set<string>()

  function urlOf(element: HTMLScriptElement | HTMLLinkElement) {
    return ('src' in element ? element.src : element.href).replace(/\?.*/, '')
  }

  function isOurs(target: EventTarget | null): target is HTMLScriptElement | HTMLLinkElement {
    const loads =
      target instanceof HTMLScriptElement ||
      (target instanceof HTMLLinkElement && target.rel === 'stylesheet')
    return loads && urlOf(target).indexOf(`${location.origin}/_next/`) === 0
  }

  function tell(shown = true) {
    const notice = document.getElementById('not-loaded')
    if (!notice) return
    notice.hidden = !shown
    notice.onclick = (event) => event.target instanceof HTMLButtonElement && location.reload()
  }

  function giveUp() {
    tell()
    // A form that was submitted meanwhile is submitted natively, without its script.
    const form = document.querySelector<HTMLFormElement>('form[data-submitted]')
    if (form) form.submit()
  }

  function replace(failed: HTMLScriptElement | HTMLLinkElement, attempt: number) {
    const copy = document.createElement(failed.localName) as HTMLScriptElement & HTMLLinkElement
    for (const { name, value } of failed.attributes) copy.setAttribute(name, value)
    // Browsers cache the failure of a module under its URL.
    if (copy.type === 'module') copy.src = `${copy.src.replace(/\?.*/, '')}?retry=${attempt}`
    failed.replaceWith(copy)
  }

  window.addEventListener(
    'error',
    ({ target: failed }) => {
      if (!isOurs(failed) || !failed.isConnected) return
      const url = urlOf(failed)
      const attempt = (attempts[url] ?? 0) + 1
      attempts[url] = attempt
      const delay = DELAYS_MS[attempt - 1]
      if (delay === undefined) {
        waiting.push(() => replace(failed, attempt))
        missing.add(url)
        giveUp()
        return
      }
      setTimeout(() => replace(failed, attempt), delay)
    },
    true,
  )
  // Of the document, for it may be a retry that arrives.
  document.addEventListener(
    'load',
    ({ target }) => {
      if (isOurs(target) && missing.delete(urlOf(target)) && missing.size === 0) tell(false)
    },
    true,
  )
  setTimeout(() => {
    const requested = performance.getEntriesByType('resource').map(({ name }) => name)
    for (const script of document.scripts) {
      // Next's polyfills for older browsers are never requested.
      if (!isOurs(script) || script.noModule || requested.indexOf(script.src) >= 0) continue
      missing.add(urlOf(script))
    }
    if (missing.size > 0) tell()
  }, SILENT_MS)
  window.addEventListener('online', () => {
    const again = waiting
    waiting = []
    for (const task of again) task()
  })
}
