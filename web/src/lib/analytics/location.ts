/** Matches names of parameters whose values may open a session or identify a person, as search terms do. */
const sensitive =
  /token|jwt|auth|claim|code|state|secret|key|pass|mail|phone|user|person|session|\bsid\b|callback|challenge|flow|search|^q$/i

/** Match what may open a session or identify a person anywhere in an address: emails, JWTs, ids, random letters. */
const personal = [
  /[^\s@]@[^\s@]|%40/i,
  /eyJ[\w-]{8}/,
  /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-/i,
  // Random letters: page names mix no digits, upper and lower case in 10 characters, nor two of them in 16.
  /(?=[\dA-Z]*[a-z])(?=[\da-z]*[A-Z])(?=[A-Za-z]*\d)[\dA-Za-z]{10}/,
  /(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[\dA-Za-z]{16}/,
  /[\dA-Za-z]{32}/,
  /\d{9}/,
]

const isPersonal = (text: string) => personal.some((shape) => shape.test(text))

/** The names of query parameters whose values must not be sent. */
export function sensitiveNames(search: string): string[] {
  return [...new URLSearchParams(search)]
    .filter(([name, value]) => sensitive.test(name) || isPersonal(name) || isPersonal(value))
    .map(([name]) => name)
}

function redactPairs(text: string): string {
  const parameters = new URLSearchParams(text)
  for (const name of sensitiveNames(text)) parameters.delete(name)
  return parameters.toString()
}

function redactPath(path: string): string {
  return path
    .split('/')
    .map((segment) => (isPersonal(segment) ? '…' : segment))
    .join('/')
}

/** The parts of an address that are checked. */
export type Place = Pick<URL, 'pathname' | 'search' | 'hash'>

export interface PageLocation {
  path: string
  search: string
  hash: string
}

/**
 * What a page view may carry of `location`: without sensitive parameters, and without what looks like an
 * address, a token or an id. `null` for the sign-in pages, which send nothing at all.
 */
export function safeLocation(location: Place): PageLocation | null {
  if (/^\/(auth|signin)(\/|$)/.test(location.pathname)) return null
  const search = redactPairs(location.search.slice(1))
  const fragment = location.hash.slice(1)
  const hash = fragment.includes('=') || isPersonal(fragment) ? redactPairs(fragment) : fragment
  return {
    path: redactPath(location.pathname),
    search: search ? `?${search}` : '',
    hash: hash ? `#${hash}` : '',
  }
}
