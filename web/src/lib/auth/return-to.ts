import { paths } from '@/config/paths'
import { site } from '@/config/site'

/**
 * Where a sign-in may lead: the twin of gateway/internal/returnto. Both run the corpus in its
 * testdata, and both compare text with text, so that no two URL parsers can disagree.
 */

const MAX_LENGTH = 2048
const CALLBACK_PATH = '/auth/callback'
const APP_CALLBACK = `${site.scheme}://auth/callback`

/** The pages that a sign-in may end at, each with the query parameters that it understands. */
const pages = new Map<string, readonly string[]>([
  [paths.home, []],
  [paths.profile, ['paywall']],
  [paths.closedBeta, []],
  [paths.admin, []],
  [CALLBACK_PATH, ['callback', 'redirect', 'state', 'code_challenge', 'code_challenge_method']],
])

/** Whether `target` may be sent to the gateway as `return_to`. */
export function isReturnTo(target: string): boolean {
  const page = parsePage(target)
  if (!page) return false
  const { query } = page
  const redirect = query.get('redirect')
  if (redirect !== undefined && !isRedirect(redirect)) return false
  const callback = query.get('callback')
  const challenged = query.has('code_challenge')
  if (callback !== undefined && !isAppCallback(callback, challenged)) return false
  return challenged === (query.get('code_challenge_method') === 'S256')
}

/** Whether `target` may be followed after a sign-in: a page of the site, but not the callback. */
export function isRedirect(target: string): boolean {
  const page = parsePage(target)
  return page !== null && page.path !== CALLBACK_PATH
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]):([1-9][0-9]{0,4})\/auth\/callback$/

/**
 * Whether `link` leads into the app: exactly the registered scheme's link, or with PKCE a loopback
 * address of the machine itself, at any port (RFC 8252, sections 7.1 and 7.3).
 */
export function isAppCallback(link: string, pkce: boolean): boolean {
  if (link === APP_CALLBACK) return true
  const port = pkce ? LOOPBACK.exec(link)?.[1] : undefined
  return port !== undefined && Number(port) <= 65_535
}

/** The `return_to` that goes on to a page of the site. */
export function returnToPage(redirect: string): string {
  return `${CALLBACK_PATH}?${new URLSearchParams({ redirect })}`
}

/** The `return_to` that goes on to the app; `state` comes back to it unchanged. */
export function returnToApp(callback: string, state: string | null): string {
  return `${CALLBACK_PATH}?${new URLSearchParams({ callback, ...(state && { state }) })}`
}

function parsePage(target: string): { path: string; query: Map<string, string> } | null {
  if (target.length > MAX_LENGTH || !/^[\x21-\x7e]+$/.test(target) || /[\\#]/.test(target)) {
    return null
  }
  const [path = '', ...rest] = target.split('?')
  const params = pages.get(path)
  const query = params && parseQuery(rest.join('?'), params)
  return query ? { path, query } : null
}

function parseQuery(text: string, params: readonly string[]): Map<string, string> | null {
  const query = new Map<string, string>()
  for (const pair of text.split('&').filter(Boolean)) {
    const [name = '', ...value] = pair.split('=').map(decode)
    if (pair.includes(';') || name === null || value.includes(null)) return null
    if (!params.includes(name) || query.has(name)) return null
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
