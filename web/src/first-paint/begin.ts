import { leaveBelow } from './below'

/** Set once this tab has the web fonts: from then on they come out of the browser's cache. */
const HAS_FONTS = 'fledge.fonts'
/** A page that cannot say when it was painted waits no longer, in milliseconds. */
const PATIENCE = 3000

/** Takes the style of the web fonts out of the page; browsers with scripts see it as text. */
function takeFonts(page: Document): string {
  const held = page.querySelector('noscript[data-fonts]')
  held?.remove()
  return /<style>(.*)<\/style>/s.exec(held?.textContent ?? '')?.[1] ?? ''
}

/** Puts the fonts in now: what is painted meanwhile is laid out again. */
function addFonts(page: Document): void {
  const style = page.createElement('style')
  style.textContent = takeFonts(page)
  page.head.append(style)
}

/** Adds the fonts when all of them are there, so that the page is laid out again only once. */
async function loadFonts(page: Document): Promise<void> {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(takeFonts(page))
  const faces = [...sheet.cssRules].map((rule) => {
    const { style } = rule as CSSFontFaceRule
    const of = (name: string) => style.getPropertyValue(name)
    return new FontFace(of('font-family'), of('src'), { weight: of('font-weight') })
  })
  await Promise.all(faces.map((face) => face.load()))
  for (const face of faces) page.fonts.add(face)
  sessionStorage.setItem(HAS_FONTS, '1')
}

function addScripts(page: Document): void {
  for (const held of page.querySelectorAll<HTMLScriptElement>('script[type="text/held"]')) {
    const script = page.createElement('script')
    script.type = 'module'
    script.src = held.src
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
