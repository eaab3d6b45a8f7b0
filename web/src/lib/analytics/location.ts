/** What the names of parameters hold whose values may open a session or name a person, as searches do. */
const sensitive =
  /token|code|state|secret|key|password|email|user|session|callback|challenge|flow|search|^q$/i

/** The names in a query whose values nobody may be told. */
export function sensitiveNames(search: string): string[] {
  return [...new URLSearchParams(search).keys()].filter((name) => sensitive.test(name))
}

function redactPairs(text: string): string {
  const parameters = new URLSearchParams(text)
  for (const name of sensitiveNames(text)) parameters.delete(name)
  return parameters.toString()
}

/** What of an address is looked at. */
export type Place = Pick<URL, 'pathname' | 'search' | 'hash'>

export interface PageLocation {
  path: string
  search: string
  hash: string
}

/**
 * What a page view may carry of `location`: search and hash without sensitive parameters.
 * `null` for the sign-in pages, which send nothing at all.
 */
export function safeLocation(location: Place): PageLocation | null {
  if (/^\/(auth|signin)(\/|$)/.test(location.pathname)) return null
  const search = redactPairs(location.search.slice(1))
  const fragment = location.hash.slice(1)
  const hash = fragment.includes('=') ? redactPairs(fragment) : fragment
  return {
    path: location.pathname,
    search: search ? `?${search}` : '',
    hash: hash ? `#${hash}` : '',
  }
}
