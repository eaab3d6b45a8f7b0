/**
 * The address that a sign-in page was opened with. Tokens, codes and whatever else the page does not
 * ask for leave the address bar before anything can look at them: on the exported pages a script in
 * the head does so (src/early-script), ahead of the framework and of everybody's effects.
 */

/** Parameters that a sign-in page may keep in its address; none of them opens anything. */
const kept = new Set([
  'provider',
  'callback',
  'redirect',
  'state',
  'code_challenge',
  'code_challenge_method',
  'error',
  'error_code',
  'error_description',
  'id',
])

declare global {
  interface Window {
    /** Set by the early script: the address with all its parts, for the first caller only. */
    takeSignInAddress?: () => string | null
  }
}

/** Takes what is not `kept`, and the whole hash, out of the address bar and the history. */
export function clearAddressBar(): void {
  const address = new URL(window.location.href)
  for (const name of [...address.searchParams.keys()]) {
    if (!kept.has(name)) address.searchParams.delete(name)
  }
  address.hash = ''
  // An empty hash leaves its sign behind, and a rewritten query may only look different.
  if (address.href !== window.location.href || window.location.href.includes('#')) {
    window.history.replaceState(window.history.state, '', address.pathname + address.search)
  }
}

/** The address as it was opened; later calls get the one that is left of it. */
export function takeSignInAddress(): URL {
  const opened = window.takeSignInAddress?.() ?? window.location.href
  clearAddressBar()
  return new URL(opened)
}
