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

  function tell(missing = true) {
    const notice = document.getElementById('not-loaded')
    if (!notice) return
    notice.hidden = !missing
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
      const isScript = failed instanceof HTMLScriptElement
      if (!isScript && !(failed instanceof HTMLLinkElement && failed.rel === 'stylesheet')) return
      const url = (isScript ? failed.src : failed.href).replace(/\?.*/, '')
      if (url.indexOf(`${location.origin}/_next/`) !== 0 || !failed.isConnected) return
      const attempt = (attempts[url] ?? 0) + 1
      attempts[url] = attempt
      const delay = DELAYS_MS[attempt - 1]
      if (delay === undefined) {
        waiting.push(() => replace(failed, attempt))
        giveUp()
        return
      }
      setTimeout(() => replace(failed, attempt), delay)
    },
    true,
  )
  setTimeout(() => {
    const missing = new Set<string>()
    // Next's polyfills for older browsers are never requested.
    for (const { src, noModule } of document.scripts) {
      if (src.indexOf(`${location.origin}/_next/`) === 0 && !noModule) missing.add(src)
    }
    for (const { name } of performance.getEntriesByType('resource')) missing.delete(name)
    if (missing.size === 0) return
    tell()
    // Of the document, for it may be a retry that arrives.
    document.addEventListener(
      'load',
      ({ target }) => {
        if (!(target instanceof HTMLScriptElement) || !missing.delete(target.src)) return
        if (missing.size + waiting.length === 0) tell(false)
      },
      true,
    )
  }, SILENT_MS)
  window.addEventListener('online', () => {
    const again = waiting
    waiting = []
    for (const task of again) task()
  })
}
