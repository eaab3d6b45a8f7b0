/** The element that `revealNotice` reveals. */
export const NOTICE = 'outdated-browser'

/**
 * Inline: reveals the notice in a browser that lacks what the pages need: Safari before 15.5, Chrome before 102,
 * Firefox before 112. No syntax here is newer than 2009.
 */
export function revealNotice() {
  if (
    !('noModule' in HTMLScriptElement.prototype) ||
    !('IntersectionObserver' in window) ||
    !('structuredClone' in window) ||
    !('BroadcastChannel' in window) ||
    !('at' in Array.prototype) ||
    !('inert' in HTMLElement.prototype)
  ) {
    document.getElementById('outdated-browser')!.removeAttribute('hidden')
  }
}
