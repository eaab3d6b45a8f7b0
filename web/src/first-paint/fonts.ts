/** Set once this tab has the web fonts: from then on they come out of the browser's cache. */
const HAS_FONTS = 'fledge.fonts'

/** Takes the style of the web fonts out of the page; browsers with scripts see it as text. */
function takeFonts(page: Document): string {
  const held = page.querySelector('noscript[data-fonts]')
  held?.remove()
  return /<style>(.*)<\/style>/s.exec(held?.textContent ?? '')?.[1] ?? ''
}

/** Puts the fonts in now: what is painted meanwhile is laid out again. */
export function addFonts(page: Document): void {
  const style = page.createElement('style')
  style.textContent = takeFonts(page)
  page.head.append(style)
}

/** Adds the fonts when all of them are there, so that the page is laid out again only once. */
export async function loadFonts(page: Document): Promise<void> {
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

export function hasFonts(): boolean {
  try {
    return sessionStorage.getItem(HAS_FONTS) !== null
  } catch {
    return false // storage is refused
  }
}
