/**
 * The query that /admin was opened with. A sign-in leads back to the bare page, which is all that the
 * gateway lets it return to; the tab still knows which ticket or filter the link was to.
 */
const KEY = 'fledge_admin_link'
/** A sign-in has to be finished within half an hour. */
const LIFE_MS = 30 * 60_000

/** Keeps the query of the address until somebody has signed in. */
export function keepLink(): void {
  const { search } = window.location
  try {
    if (search) sessionStorage.setItem(KEY, JSON.stringify({ search, at: Date.now() }))
    else sessionStorage.removeItem(KEY)
  } catch {
    // Storage may be forbidden: the sign-in then ends at the first tab.
  }
}

function takeLink(): string | null {
  try {
    const note = sessionStorage.getItem(KEY)
    sessionStorage.removeItem(KEY)
    const { search, at } = JSON.parse(note ?? '{}') as Record<string, unknown>
    if (typeof search !== 'string' || typeof at !== 'number' || !search.startsWith('?')) return null
    const age = Date.now() - at
    return age >= 0 && age < LIFE_MS ? search : null
  } catch {
    return null
  }
}

/** Puts the query that was kept back into the address, once, unless there is another. */
export function restoreLink(): void {
  const search = takeLink()
  const { pathname, search: now } = window.location
  if (search && !now) window.history.replaceState(null, '', pathname + search)
}
