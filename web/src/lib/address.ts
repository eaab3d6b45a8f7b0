const listeners = new Set<() => void>()
const tell = () => listeners.forEach((listener) => listener())
let watching = false

/** Not every browser tells of addresses that a script writes. */
function watch(): void {
  if (watching) return
  watching = true
  for (const name of ['pushState', 'replaceState'] as const) {
    const change = window.history[name].bind(window.history)
    window.history[name] = (...step) => {
      change(...step)
      tell()
    }
  }
  for (const name of ['popstate', 'hashchange']) window.addEventListener(name, tell)
}

/**
 * Calls `listener` on every change of the page's address, by a person or a script; more than once for
 * those of which several events tell. Returns what stops it.
 */
export function onAddressChange(listener: () => void): () => void {
  watch()
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
