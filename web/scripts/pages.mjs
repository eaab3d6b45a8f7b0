import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import rehypeParse from 'rehype-parse'
import { unified } from 'unified'

export const web = fileURLToPath(new URL('..', import.meta.url))
export const out = path.join(web, 'out')
/** The class names of every CSS module, as the build lists them (src/app/islands). */
export const classNames = path.join(web, '.next/class-names.json')

/**
 * An exported HTML file, the path it answers, and whether it is a visitors' page, which ships without Next's
 * run-time.
 * @typedef {{ file: string, route: string, visitors: boolean }} Page
 */

/** The path that an HTML file under out/ answers: index.html → /, blog/x.html → /blog/x. */
function routeOf(relative) {
  const name = relative
    .split(path.sep)
    .join('/')
    .replace(/\.html$/, '')
  return name === 'index' ? '/' : `/${name}`
}

/** The tree of an HTML document. */
export const parseHtml = (html) => unified().use(rehypeParse).parse(html)

/** Every file under `directory`, as absolute paths. */
export async function listFiles(directory) {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}

const visitorsGroup = '/(site)/'
const notFound = ['/404', '/_not-found']

/**
 * Whether the page at `route` is one for visitors: those of the route group `(site)`, and the 404 page.
 * `modules` are Next's own list of modules and their routes (app-path-routes-manifest.json).
 */
export function isVisitors(route, modules) {
  if (notFound.includes(route)) return true
  return Object.entries(modules).some(
    ([module, pattern]) =>
      module.startsWith(visitorsGroup) &&
      new RegExp(`^${pattern.replace(/\[[^\]]+\]/g, '[^/]+')}$`).test(route),
  )
}

/** @returns {Promise<Page[]>} Every page of the export. */
export async function listPages() {
  const manifest = path.join(web, '.next/app-path-routes-manifest.json')
  const modules = JSON.parse(await readFile(manifest, 'utf8'))
  const files = (await listFiles(out)).filter((file) => file.endsWith('.html'))
  return files.map((file) => {
    const route = routeOf(path.relative(out, file))
    return { file, route, visitors: isVisitors(route, modules) }
  })
}
