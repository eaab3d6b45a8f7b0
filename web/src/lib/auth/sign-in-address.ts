declare global {
  interface Window {
    /** Set by `clearSignInAddress`: the address with all its parts, for the first caller only. */
    takeSignInAddress?: () => string | null
  }
}

/**
 * Takes tokens, codes and whatever else a sign-in page does not ask for out of the address bar and the
 * history, before anything can look at them: it stands in the head of these pages as an inline script.
 * Its text is what runs there, so it uses nothing but its own variables and the browser's.
 */
export function clearSignInAddress(): void {
  // None of these opens anything.
  const kept = [
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
    'opened',
  ]
  let opened: string | null = window.location.href
  window.takeSignInAddress = function () {
    const once = opened
    opened = null
    return once
  }
  const address = new URL(opened)
  Array.from(address.searchParams.keys()).forEach(function (name) {
    if (kept.indexOf(name) < 0) address.searchParams.delete(name)
  })
  address.hash = ''
  // An empty hash leaves its sign behind, and a rewritten query may only look different.
  if (address.href !== window.location.href || window.location.href.indexOf('#') >= 0) {
    window.history.replaceState(window.history.state, '', address.pathname + address.search)
  }
}

/** The address as it was opened; later calls get the one that is left of it. */
export function takeSignInAddress(): URL {
  const opened = window.takeSignInAddress?.()
  if (opened) return new URL(opened)
  clearSignInAddress()
  return new URL(window.takeSignInAddress?.() ?? window.location.href)
}
