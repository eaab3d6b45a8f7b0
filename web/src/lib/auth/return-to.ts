import { paths } from '@/config/paths'
import { knownSettings } from '@/config/settings'
import { site } from '@/config/site'

/**
 * Where a sign-in may lead: the twin of gateway/internal/returnto. Both run the corpus in its
 * testdata, and both compare text with text, so that no two URL parsers can disagree.
 */

const MAX_LENGTH = 2048
const APP_CALLBACK = `${site.scheme}://auth/callback`
const METHOD = 'S256'

/** The installation's further links of the app, once `learnAppLinks` has read them. */
let further: readonly string[] = []

/**
 * Reads the installation's further links of the app, before a request that may come from there is judged. Rejects while
 * they cannot be read.
 */
export async function learnAppLinks(): Promise<void> {
  further = (await knownSettings()).handOff.links
}

/** The same, unless `link` is judged without them. */
export async function learnAppLink(link: string | null): Promise<void> {
  if (link !== null && !isAppCallback(link, true)) await learnAppLinks()
}

/** The pages of the site that a sign-in may end at. */
const redirects = new Set<string>([
  paths.home,
  paths.profile,
  `${paths.profile}?paywall=true`,
  paths.signInMethods,
  paths.deleteAccount,
  paths.downloadData,
  paths.closedBeta,
  paths.admin,
])

/** The parameters that lead into the app. */
export const appParameters = ['callback', 'state', 'code_challenge', 'code_challenge_method']

/** What the app asks for: its link, and what binds the answer to its own request. */
export interface AppTarget {
  callback: string
  /** Comes back unchanged. */
  state: string | null
  /** SHA-256 of a secret of the app's, base64url (RFC 7636, S256): the answer is a code. */
  challenge: string | null
}

/** Whether `target` may be sent to the gateway as `return_to`. */
export function isReturnTo(target: string): boolean {
  if (target === paths.signedIn) return true
  const start = `${paths.signedIn}?`
  if (target.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(target) || /[\\#]/.test(target)) {
    return false
  }
  const query = target.startsWith(start) ? parseQuery(target.slice(start.length)) : null
  if (!query) return false
  const redirect = query.get('redirect')
  if (redirect !== undefined) return onlyHas(query, ['redirect']) && isRedirect(redirect)
  return onlyHas(query, appParameters) && isAppQuery((name) => query.get(name))
}

/** Whether `target` may be followed after a sign-in: a page of the site, but not the callback. */
export function isRedirect(target: string): boolean {
  return redirects.has(target)
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):([1-9][0-9]{0,4})\/auth\/callback$/

/**
 * Whether `link` leads into the app: exactly the registered scheme's link, or with PKCE exactly one of the further
 * links, or a loopback address of the machine itself, at any port (RFC 8252, section 7).
 */
export function isAppCallback(link: string, pkce: boolean): boolean {
  if (link === APP_CALLBACK) return true
  if (!pkce) return false
  if (further.includes(link)) return true
  const port = LOOPBACK.exec(link)?.[1]
  return port !== undefined && Number(port) <= 65_535
}

/** Whether the operating system opens `link` with the app alone, by its registered scheme or claimed address. */
export function isRegistered(link: string): boolean {
  return link === APP_CALLBACK || further.includes(link)
}

/** Whether `text` is what may come back to the app: 1 to 512 printable ASCII characters. */
export function isState(text: string): boolean {
  return /^[\x20-\x7e]{1,512}$/.test(text)
}

/**
 * Whether the parameters lead into the app: its link, a state, and a challenge with the name of its method. All but the
 * link may be missing.
 */
export function isAppQuery(param: (name: string) => string | undefined): boolean {
  const challenge = param('code_challenge')
  const method = param('code_challenge_method')
  const state = param('state')
  if (state !== undefined && !isState(state)) return false
  if (challenge !== undefined && !/^[A-Za-z0-9_-]{43}$/.test(challenge)) return false
  if (method !== (challenge === undefined ? undefined : METHOD)) return false
  return isAppCallback(param('callback') ?? '', challenge !== undefined)
}

/** The address that offers to sign in and goes on to a page of the site. */
export function signInAt(redirect: string): string {
  return `${paths.signIn}?${new URLSearchParams({ redirect })}`
}

/** The `return_to` that goes on to a page of the site. */
export function returnToPage(redirect: string): string {
  return `${paths.signedIn}?${new URLSearchParams({ redirect })}`
}

/** The `return_to` that goes on to the app. */
export function returnToApp({ callback, state, challenge }: AppTarget): string {
  const query = new URLSearchParams({ callback })
  if (state !== null) query.set('state', state)
  if (challenge !== null) {
    query.set('code_challenge', challenge)
    query.set('code_challenge_method', METHOD)
  }
  return `${paths.signedIn}?${query}`
}

function onlyHas(query: Map<string, string>, names: readonly string[]): boolean {
  return [...query.keys()].every((name) => names.includes(name))
}

/** Reads each parameter once; null when one is doubled or cannot be decoded. */
function parseQuery(text: string): Map<string, string> | null {
  const query = new Map<string, string>()
  for (const pair of text.split('&').filter(Boolean)) {
    const [name = '', ...value] = pair.split('=').map(decode)
    if (pair.includes(';') || name === null || value.includes(null)) return null
    if (query.has(name)) return null
    query.set(name, value.join('='))
  }
  return query
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}
