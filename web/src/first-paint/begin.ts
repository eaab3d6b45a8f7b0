import { leaveBelow } from './below'
import { addFonts, hasFonts, loadFonts } from './fonts'

/** A page that cannot say when it was painted waits no longer, in milliseconds. */
const PATIENCE = 3000

function addScripts(page: Document): void {
  for (const held of page.querySelectorAll<HTMLScriptElement>('script[type="text/held"]')) {
    const script = page.createElement('script')
    script.type = 'module'
    script.src = held.src
    held.replaceWith(script)
  }
}

/**
 * Lets the text be painted before fonts and scripts take the line and the processor. A page that
 * nobody sees is not painted, and starts at once.
 */
export function begin(page: Document): void {
  let begun = false
  const layOutBelow = leaveBelow(page)
  const cached = hasFonts()
  if (cached) addFonts(page)
  const rest = () => {
    if (begun) return
    begun = true
    // A font that does not come leaves the one of the machine.
    const fonts = cached ? Promise.resolve() : loadFonts(page).catch(() => {})
    void fonts.then(layOutBelow)
    addScripts(page)
  }
  const parsed = () => {
    if (page.hidden || !PerformanceObserver.supportedEntryTypes.includes('paint')) return rest()
    page.addEventListener('visibilitychange', rest, { once: true })
    setTimeout(rest, PATIENCE)
    new PerformanceObserver((list, observer) => {
      if (list.getEntriesByName('first-contentful-paint').length === 0) return
      observer.disconnect()
      rest()
    }).observe({ type: 'paint', buffered: true })
  }
  if (page.readyState === 'loading')
    page.addEventListener('DOMContentLoaded', parsed, { once: true })
  else parsed()
}
