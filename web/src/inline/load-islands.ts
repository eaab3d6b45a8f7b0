/**
 * Inline: requests the script and the web fonts of a visitors' page only after the first contentful paint, so that they compete
 * with that neither for bandwidth nor for CPU. The fonts only for who comes from elsewhere: others have them. The
 * build writes the script's address into this element (scripts/visitors.mjs); without one, the page runs on Next.
 */
export function loadIslands(): void {
  const TIMEOUT_MS = 3000
  const src = document.currentScript?.dataset.islands
  if (!src) return
  const root = document.documentElement
  let requested = false
  const showFonts = () => delete root.dataset.fonts
  // Read by src/styles/tokens.css.
  if (!document.referrer.startsWith(`${window.location.origin}/`)) root.dataset.fonts = 'deferred'

  function request() {
    if (requested) return
    requested = true
    // Used only once it is there: the page is laid out anew one time, not two.
    void document.fonts.load('1em bricolage').then(showFonts, showFonts)
    const script = document.createElement('script')
    script.type = 'module'
    script.src = src as string
    document.head.append(script)
  }

  // A page in the background is not painted before somebody looks at it.
  setTimeout(request, TIMEOUT_MS)
  new PerformanceObserver((paints) => {
    if (paints.getEntriesByName('first-contentful-paint').length > 0) request()
  }).observe({ type: 'paint', buffered: true })
}
