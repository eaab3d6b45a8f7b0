import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import { visit } from 'unist-util-visit'
import { out, parseHtml } from './pages.mjs'

/** Served by the front door itself, or by the gateway behind it. */
const served = /^\/(?:api\/|config\.json$|\.well-known\/)/

/** The placeholder of the site's origin (src/config/site.ts), with which canonical links and share images begin. */
const ORIGIN = 'https://origin.site.invalid'

const inStyle = /url\((["']?)(.*?)\1\)/g

const exists = (file) =>
  access(file).then(
    () => true,
    () => false,
  )

/** What the page `html` refers to on its own site, and the ids that it has. */
function referencesOf(html) {
  const references = new Set()
  const ids = new Set()
  const add = (address) => {
    if (typeof address !== 'string') return
    const own = address.startsWith(`${ORIGIN}/`) ? address.slice(ORIGIN.length) : address
    if (/^[/#]/.test(own) && !own.startsWith('//')) references.add(own)
  }
  visit(parseHtml(html), 'element', ({ tagName, properties, children }) => {
    const { href, src, action, dataIslands, id, content } = properties
    if (id) ids.add(String(id))
    for (const address of [href, src, action, dataIslands]) add(address)
    // Such as `og:image`, which is absolute; any other content of the kind is no address.
    if (String(content).startsWith(ORIGIN)) add(content)
    if (tagName === 'style') {
      const rules = children.map(({ value }) => value).join('')
      for (const [, , address] of rules.matchAll(inStyle)) add(address)
    }
  })
  return { references: [...references], ids }
}

/** Throws when one of `pages` refers to a page, a file or a place in a page that does not exist. */
export async function checkLinks(pages) {
  const known = new Map()
  for (const { file, route } of pages) known.set(route, referencesOf(await readFile(file, 'utf8')))
  for (const [route, { references }] of known) {
    for (const reference of references) {
      const { pathname, hash } = new URL(reference, `https://site.invalid${route}`)
      if (served.test(pathname)) continue
      const target = known.get(pathname)
      if (!target && !(await exists(path.join(out, decodeURIComponent(pathname))))) {
        throw new Error(`${route} leads to ${reference}, which is nothing`)
      }
      const place = decodeURIComponent(hash.slice(1))
      if (target && place && !target.ids.has(place)) {
        throw new Error(`${route} leads to ${reference}, which has no such place`)
      }
    }
  }
}
