/** The Navigation API, which TypeScript's lib does not describe yet: Safari 26, Chrome 102, Firefox 147. */
interface WithNavigation {
  navigation?: EventTarget
}

const WRITTEN = 'fledge:address'
let wrapped = false

/** Fires an event when a script changes the history, for browsers without the Navigation API. */
function announceWrites(): void {
  if (wrapped) return
  wrapped = true
  for (const name of ['pushState', 'replaceState'] as const) {
    const write = window.history[name].bind(window.history)
    window.history[name] = (...step) => {
      write(...step)
      window.dispatchEvent(new Event(WRITTEN))
    }
  }
}

/**
 * Calls `listener` on every change of the page's address, by a person or a script; it may be called more
 * than once for one change. Returns what stops it.
 */
export function onAddressChange(listener: () => void): () => void {
  const stop = new AbortController()
  const options = { signal: stop.signal }
  window.addEventListener('popstate', listener, options)
  window.addEventListener('hashchange', listener, options)
  const { navigation } = window as WithNavigation
  if (navigation) {
    navigation.addEventListener('currententrychange', listener, options)
  } else {
    announceWrites()
    window.addEventListener(WRITTEN, listener, options)
  }
  return () => stop.abort()
}
