/**
 * Inline: defers the web fonts of an app page until its scripts have loaded, so that they do not compete with them for
 * bandwidth. Only for who comes from elsewhere: others have them.
 */
export function deferFonts(): void {
  if (document.referrer.startsWith(`${window.location.origin}/`)) return
  const root = document.documentElement
  // Read by src/styles/tokens.css.
  root.dataset.fonts = 'deferred'
  window.addEventListener('load', () => delete root.dataset.fonts)
}
