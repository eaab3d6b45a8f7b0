import { expiringItem } from '@/lib/storage'

/**
 * The query of the deep link that /admin was opened with, such as to a ticket or a filter. The gateway allows a
 * sign-in to return to the bare page only, so the tab keeps the query for the half hour in which the sign-in can
 * finish.
 */
const item = expiringItem('fledge_admin_link', 30 * 60_000)

/** Saves the query of the address until somebody has signed in. */
export function saveDeepLink(): void {
  const { search } = window.location
  if (search) item.set(search)
  else item.remove()
}

/** Puts the saved query back into the address, once, unless the address has a query already. */
export function restoreDeepLink(): void {
  const search = item.get()
  item.remove()
  const { pathname, search: now } = window.location
  if (typeof search !== 'string' || !search.startsWith('?') || now) return
  window.history.replaceState(null, '', pathname + search)
}
