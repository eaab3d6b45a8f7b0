import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { web } from './pages.mjs'

const inlineScripts = /<script\b(?![^>]*\bsrc=)([^>]*)>([\s\S]*?)<\/script>/g

/** CSP hashes of the inline scripts that `html` would execute, each once, in order. */
export function scriptHashes(html) {
  const hashes = new Set()
  for (const [, attributes, text] of html.matchAll(inlineScripts)) {
    if (/type="application\/(ld\+)?json"/.test(attributes)) continue
    hashes.add(`'sha256-${createHash('sha256').update(text).digest('base64')}'`)
  }
  return [...hashes]
}

/**
 * The Content-Security-Policy of a page with these script hashes. The front door fills in what stands
 * in braces: the sources of the analytics that the installation has keys for, or nothing.
 */
export function policy(hashes) {
  return [
    "default-src 'self'",
    ["script-src 'self'", ...hashes].join(' ') + '{google_scripts}',
    // Emotion writes its rules at run time, and the triptych's delays are inline custom properties.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'{posthog_connections}{google_connections}",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "form-action 'self'",
  ].join('; ')
}

/** A Caddy `map` from the request's path to its policy; unknown paths get the 404 page's. */
export function caddyMap(policies, fallback) {
  const rows = policies.map(({ route, value }) => `\t${route} "${value}"`)
  return [
    '# Written by web/scripts/csp.mjs after each build. Sets {csp} by the path of the request.',
    'map {http.request.uri.path} {csp} {',
    ...rows,
    `\tdefault "${fallback}"`,
    '}',
    '',
  ].join('\n')
}

/** Writes csp.caddy beside out/ for `pages`. */
export async function writePolicies(pages) {
  const policies = await Promise.all(
    pages.map(async ({ file, route }) => ({
      route,
      value: policy(scriptHashes(await readFile(file, 'utf8'))),
    })),
  )
  const fallback = policies.find(({ route }) => route === '/404')
  if (!fallback) throw new Error('the export has no 404.html')
  await writeFile(path.join(web, 'csp.caddy'), caddyMap(policies, fallback.value))
}
