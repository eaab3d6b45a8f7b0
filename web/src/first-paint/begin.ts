/** Set once this tab has the web fonts: from then on they come out of the browser's cache. */
const HAS_FONTS = 'fledge.fonts'
/** A page that cannot say when it was painted waits no longer, in milliseconds. */
const PATIENCE = 3000

/** The page's web fonts, which the browser sees as text until they are put in. */
function addFonts(page: Document): void {
  const fonts = page.querySelector('noscript[data-fonts]')
  if (!fonts) return
  page.head.insertAdjacentHTML('beforeend', fonts.textContent)
  fonts.remove()
  void page.fonts?.ready.then(() => sessionStorage.setItem(HAS_FONTS, '1')).catch(() => {})
}

function addScripts(page: Document): void {
  for (const held of page.querySelectorAll('script[type="text/held"]')) {
    const script = page.createElement('script')
    for (const { name, value } of held.attributes) {
      if (name === 'data-type') script.type = value
      else if (name !== 'type') script.setAttribute(name, value)
    }
    held.replaceWith(script)
  }
}

function hasFonts(): boolean {
  try {
    return sessionStorage.getItem(HAS_FONTS) !== null
  } catch {
    return false // storage is refused
  }
}

/**
 * Lets the text be painted before fonts and scripts take the line and the processor. A page that
 * nobody sees is not painted, and starts at once.
 */
export function begin(page: Document): void {
  let begun = false
  const rest = () => {
    if (begun) return
    begun = true
    addFonts(page)
    addScripts(page)
  }
  if (hasFonts()) addFonts(page)
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
