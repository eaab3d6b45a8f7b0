import { access, readFile } from 'node:fs/promises'
import path from 'node:path'
import rehypeParse from 'rehype-parse'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { out } from './pages.mjs'

const parser = unified().use(rehypeParse)

/** Served by the front door itself, or by the gateway behind it. */
const served = /^\/(?:api\/|config\.json$|\.well-known\/)/

const exists = (file) =>
  access(file).then(
    () => true,
    () => false,
  )

/** What the page `html` refers to on its own site, and the ids that it has. */
function referencesOf(html) {
  const references = new Set()
  const ids = new Set()
  visit(parser.parse(html), 'element', ({ properties: { href, src, action, dataIslands, id } }) => {
    if (id) ids.add(String(id))
    for (const address of [href, src, action, dataIslands]) {
      if (typeof address === 'string' && /^[/#]/.test(address) && !address.startsWith('//')) {
        references.add(address)
      }
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
