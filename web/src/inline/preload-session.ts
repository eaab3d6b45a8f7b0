/**
 * Inline: requests the session while the page's scripts are still loading, if somebody seems to be signed in. The
 * request has to be the one that `session-source.ts` makes later, which then takes this answer.
 */
export function preloadSession(): void {
  if (document.cookie.search(/(^|; *)fledge_hint=/) < 0) return
  const link = document.createElement('link')
  link.rel = 'preload'
  link.as = 'fetch'
  link.href = '/api/auth/session'
  link.crossOrigin = 'anonymous'
  document.head.append(link)
}
