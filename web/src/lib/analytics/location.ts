/** Parts of the names of parameters whose values may open a session or name a person. */
export const sensitiveNames = [
  ...['token', 'code', 'state', 'secret', 'key', 'password', 'email'],
  ...['user', 'session', 'callback', 'challenge', 'flow'],
]
const sensitive = new RegExp(sensitiveNames.join('|'), 'i')

function redactPairs(text: string): string {
  const parameters = new URLSearchParams(text)
  for (const name of [...parameters.keys()]) {
    if (sensitive.test(name)) parameters.delete(name)
  }
  return parameters.toString()
}

export interface PageLocation {
  path: string
  search: string
  hash: string
}

/**
 * What a page view may carry of `location`: search and hash without sensitive parameters.
 * `null` for the sign-in pages, which send nothing at all.
 */
export function safeLocation(location: {
  pathname: string
  search: string
  hash: string
}): PageLocation | null {
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
