import { expiringItem } from '@/lib/storage'

/**
 * The query of the deep link that /admin was opened with, such as to a ticket or a filter. The gateway allows a
 * sign-in to return to the bare page only, so the tab keeps the query for the half hour in which the sign-in can
 * finish.
 */
const item = expiringItem('fledge_admin_link', 30 * 60_000)

/** Saves the query of the address until the account `owner`, or without one whoever comes first, has signed in. */
export function saveDeepLink(owner?: string): void {
  const { search } = window.location
  if (search) item.set({ search, owner })
  else item.remove()
}

/** Puts the saved query back into the address, once, unless the address has a query already or another account than `person` saved it. */
export function restoreDeepLink(person: string): void {
  const { search, owner } = (item.get() ?? {}) as { search?: unknown; owner?: unknown }
  item.remove()
  const { pathname, search: now } = window.location
  if (owner !== undefined && owner !== person) return
  if (typeof search !== 'string' || !search.startsWith('?') || now) return
  window.history.replaceState(null, '', pathname + search)
}
