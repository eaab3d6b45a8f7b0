import { tabNote } from '@/lib/storage'

/**
 * The query that /admin was opened with. A sign-in leads back to the bare page, which is all that the
 * gateway lets it return to; the tab still knows which ticket or filter the link was to. A sign-in
 * has to be finished within half an hour.
 */
const note = tabNote('fledge_admin_link', 30 * 60_000)

/** Keeps the query of the address until somebody has signed in. */
export function keepLink(): void {
  const { search } = window.location
  if (search) note.set(search)
  else note.remove()
}

/** Puts the query that was kept back into the address, once, unless there is another. */
export function restoreLink(): void {
  const search = note.get()
  note.remove()
  const { pathname, search: now } = window.location
  if (typeof search !== 'string' || !search.startsWith('?') || now) return
  window.history.replaceState(null, '', pathname + search)
}
