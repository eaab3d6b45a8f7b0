/** Leaves the site's own pages: for the identity provider, or for the desktop app. */
export function leaveTo(url: string): void {
  window.location.assign(url)
}
