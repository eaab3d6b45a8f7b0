/** Leaves the site's own pages: for the identity provider, Stripe's pages or the desktop app. */
export function leaveTo(url: string): void {
  window.location.assign(url)
}
