declare global {
  interface Window {
    /** Set by `clearSignInAddress`: the address with all its parts, for the first caller only. */
    takeSignInAddress?: () => string | null
  }
}

/**
 * Removes tokens, codes and every other parameter but an allow-list from the address bar and the history, before any
 * other script can read them: it runs as an inline script in the head of the sign-in pages. Its source text is what
 * runs there, so it may use only its own variables and browser APIs.
 */
export function clearSignInAddress(): void {
  // The allow-list: none of these gives access to anything.
  const kept = [
    'provider',
    'callback',
    'redirect_uri',
    'response_type',
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
  // Also for an empty hash, whose # stays in the address. A query that only changed its encoding may be replaced, too.
  if (address.href !== window.location.href || window.location.href.indexOf('#') >= 0) {
    window.history.replaceState(window.history.state, '', address.pathname + address.search)
  }
}

/** The address as it was opened, for the first caller only; later calls get the cleaned one. */
export function takeSignInAddress(): URL {
  const opened = window.takeSignInAddress?.()
  if (opened) return new URL(opened)
  clearSignInAddress()
  return new URL(window.takeSignInAddress?.() ?? window.location.href)
}
