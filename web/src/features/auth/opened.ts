/**
 * The parameter of an address that has told the app what went wrong. It stays in the history and in every copy of the
 * tab, so that a reload does not open the app again.
 */
const OPENED = 'opened'

export function wasOpened(query: URLSearchParams): boolean {
  return query.has(OPENED)
}

/** Marks the address of this page. */
export function markOpened(): void {
  const address = new URL(window.location.href)
  address.searchParams.set(OPENED, '1')
  window.history.replaceState(window.history.state, '', address.pathname + address.search)
}
