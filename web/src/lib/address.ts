/** The Navigation API, which TypeScript's lib does not describe yet: Safari 26, Chrome 102, Firefox 147. */
interface WithNavigation {
  navigation?: EventTarget
}

/**
 * Calls `listener` on every change of the page's address, by a person or a script; it may be called more
 * than once for one change. Browsers without the Navigation API do not report what a script writes into the
 * history. Returns what stops it.
 */
export function onAddressChange(listener: () => void): () => void {
  const stop = new AbortController()
  const options = { signal: stop.signal }
  window.addEventListener('popstate', listener, options)
  window.addEventListener('hashchange', listener, options)
  const { navigation } = window as WithNavigation
  navigation?.addEventListener('currententrychange', listener, options)
  return () => stop.abort()
}
