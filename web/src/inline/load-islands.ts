/**
 * Inline: requests the script of a visitors' page once its text is painted, so that neither the line nor the
 * processor is taken from it. The build writes the script's address into this element (scripts/visitors.mjs); without
 * one, the page runs on Next.
 */
export function loadIslands(): void {
  const PATIENCE_MS = 3000
  const src = document.currentScript?.dataset.islands
  if (!src) return
  let requested = false

  function request() {
    if (requested) return
    requested = true
    const script = document.createElement('script')
    script.type = 'module'
    script.src = src as string
    document.head.append(script)
  }

  // A page in the background is painted when somebody looks at it.
  setTimeout(request, PATIENCE_MS)
  new PerformanceObserver((paints) => {
    if (paints.getEntriesByName('first-contentful-paint').length > 0) request()
  }).observe({ type: 'paint', buffered: true })
}
