/** What nobody sees at first is neither styled nor laid out; how tall it is, is guessed. */
const RULE = '[data-below]{content-visibility:auto;contain-intrinsic-height:auto 12rem}'
/** A turn begins with no further element after this time, in milliseconds. */
const TURN = 3

/** Somebody comes to the top of the page: not to a part of it, nor back to where they were. */
function comesToTheTop(): boolean {
  const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  return entry?.type === 'navigate' && window.location.hash === ''
}

/**
 * Leaves the elements marked `data-below` for later, so that the first layout, and the one when the
 * fonts are there, are those of the first screen. Returns what lays out the rest, bit by bit whenever
 * there is time; from then on the page is as if none of this had been.
 */
export function leaveBelow(page: Document): () => void {
  if (!('requestIdleCallback' in window) || !comesToTheTop()) return () => {}
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(RULE)
  page.adoptedStyleSheets.push(sheet)
  const end = () => {
    page.adoptedStyleSheets = page.adoptedStyleSheets.filter((other) => other !== sheet)
  }
  // Where a link within the page leads must not be a guess.
  for (const sign of ['pointerdown', 'keydown']) page.addEventListener(sign, end, { once: true })

  const left = () => page.querySelector<HTMLElement>('[data-below]')
  const turn = () => {
    const begun = performance.now()
    let next = left()
    do {
      next?.removeAttribute('data-below')
      // Now, while the time that it takes is seen.
      next?.getBoundingClientRect()
      next = left()
    } while (next && performance.now() - begun < TURN)
    if (next) requestIdleCallback(turn, { timeout: 1000 })
    else end()
  }
  return () => requestIdleCallback(turn, { timeout: 1000 })
}
