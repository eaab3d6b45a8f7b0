import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export const web = fileURLToPath(new URL('..', import.meta.url))
export const out = path.join(web, 'out')

/** @typedef {{ file: string, route: string }} Page An exported HTML file and the path it answers. */

/** The path that an HTML file under out/ answers: index.html → /, blog/x.html → /blog/x. */
export function routeOf(relative) {
  const name = relative
    .split(path.sep)
    .join('/')
    .replace(/\.html$/, '')
  return name === 'index' ? '/' : `/${name}`
}

/** Every file under `directory`, as absolute paths. */
export async function listFiles(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

/** @returns {Promise<Page[]>} */
export async function listPages() {
  const files = (await listFiles(out)).filter((file) => file.endsWith('.html'))
  return files.map((file) => ({ file, route: routeOf(path.relative(out, file)) }))
}

/** Pages that tokens and codes may be sent to, in the address. */
export function isSignIn(route) {
  return route === '/auth' || route.startsWith('/auth/')
}

/** Pages for visitors: they ship without the run-times of Next, React and the design system. */
export function isVisitors(route) {
  return (
    ['/', '/blog', '/404', '/_not-found', '/terms', '/privacy'].includes(route) ||
    /^\/blog\/[^/]+$/.test(route)
  )
}
