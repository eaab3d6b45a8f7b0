/** By how many pixels `element` is above or below what the window shows below the header; 0 in it. */
function distance(element: Element): number {
  const { top, bottom } = element.getBoundingClientRect()
  const header = parseFloat(getComputedStyle(document.documentElement).scrollPaddingTop) || 0
  return Math.max(0, header - top, bottom - window.innerHeight)
}

/**
 * Gives the focus to the field of the waitlist form that is nearest to what the window shows, or to the
 * confirmation in its place, and scrolls there if need be. False when the page has no form.
 */
export function goToNearestForm(): boolean {
  const [nearest] = [...document.querySelectorAll<HTMLElement>('[data-join]')].sort(
    (a, b) => distance(a) - distance(b),
  )
  if (!nearest) return false
  nearest.focus({ preventScroll: true })
  if (distance(nearest) > 0) nearest.scrollIntoView({ block: 'center' })
  return true
}
