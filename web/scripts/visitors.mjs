/**
 * Makes visitors' pages static documents: removes Next's run-time, and adds one script that hydrates the islands. Anything unknown in a page fails the build.
 */
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import rehypeParse from 'rehype-parse'
import rehypeStringify from 'rehype-stringify'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { listFiles, out } from './pages.mjs'

const processor = unified()
  .use(rehypeParse)
  .use(rehypeStringify, { allowDangerousCharacters: true })
/** Next's inline scripts: the bootstrap of its run-time, and the page's React Server Components payload. */
const nextInline = /^(?:\(globalThis\["TURBOPACK"\]|\(self\.__next_f=|self\.__next_f\.push\()/
/** The ids of elements in which React streams content that a script has to move into place (Suspense boundaries). */
const outlined = /^[BSP]:/
/** The ids of `useId`, which differ between the whole page and an island that is hydrated on its own. */
const madeId = /^(?:«|_R_|:R)/

const textOf = (node) => node.children.map((child) => child.value ?? '').join('')
const isElement = (node, name) => node.type === 'element' && node.tagName === name
const staticFile = (href) => href.startsWith('/_next/static/')

/** Whether `script` is Next's and has to be removed; throws on an unknown one. */
function isNextScript(script) {
  const { src, type, dataInline } = script.properties
  if (src) {
    if (staticFile(src)) return true
    throw new Error(`unknown script ${src}`)
  }
  if (type === 'application/json' || type === 'application/ld+json' || dataInline) return false
  if (nextInline.test(textOf(script))) return true
  throw new Error(`unknown inline script ${textOf(script).slice(0, 60)}`)
}

/** Whether `link` is a preload of one of Next's scripts or style sheets. */
function isPreload({ properties: { rel = [], as } }) {
  return rel.includes('preload') && (as === 'script' || as === 'style')
}

/** Removes Next's scripts and preloads from `tree`; the style sheets are in it already (`inlineCss`). */
function removeNext(tree) {
  let scripts = 0
  let styles = 0
  visit(tree, 'element', (node, index, parent) => {
    if (node.tagName === 'link' && node.properties.rel?.includes('stylesheet'))
      throw new Error(`a style sheet that is not inlined: ${node.properties.href}`)
    if (node.tagName === 'style') {
      styles += 1
      // What React would know it by.
      node.properties = {}
    }
    const next = node.tagName === 'script' && isNextScript(node)
    if (next) scripts += 1
    if (!next && !(node.tagName === 'link' && isPreload(node))) return undefined
    parent.children.splice(index, 1)
    return index
  })
  if (scripts === 0) throw new Error('no script of Next: is this its export?')
  if (styles === 0) throw new Error('no style')
}

/** Throws if `tree` needs one of the removed scripts, or names a class or an island that does not exist. */
function checkContent(tree, islands) {
  let titles = 0
  visit(tree, 'element', (node, _index, parent) => {
    const { id = '', className = [], dataName } = node.properties
    if (outlined.test(id))
      throw new Error(`React outlined a Suspense boundary (${id}): render it whole`)
    if (className.includes('undefined')) throw new Error(`a class is missing on <${node.tagName}>`)
    if (isElement(node, 'title') && isElement(parent, 'head')) titles += 1
    if (!isElement(node, 'fledge-island')) return
    if (!islands.includes(dataName))
      throw new Error(`no island is called ${dataName} (src/islands/registry.ts)`)
    visit(node, 'element', (inner) => {
      if (madeId.test(String(inner.properties.id ?? ''))) {
        throw new Error(`the island ${dataName} uses useId, which differs from the page's`)
      }
    })
  })
  if (titles !== 1) throw new Error(`${titles} titles in the head`)
}

/** Writes the address of the islands' script into its loader. */
function complete(tree, script) {
  let loaders = 0
  visit(tree, 'element', ({ properties }) => {
    if (properties.dataInline !== 'load-islands') return
    properties.dataIslands = script
    loaders += 1
  })
  if (loaders !== 1)
    throw new Error(`${loaders} scripts that load the islands: use components/visitors-page`)
}

/**
 * Returns the page `html` as a static document. `script` is the address of the islands' script, `islands` are the
 * names in its registry.
 */
export function toStatic(html, { script, islands }) {
  const tree = processor.parse(html)
  removeNext(tree)
  checkContent(tree, islands)
  complete(tree, script)
  return processor.stringify(tree)
}

/** The names in src/islands/registry.ts. */
export function islandNames(source) {
  return [...source.matchAll(/^ {2}'?([a-z-]+)'?: \w+,$/gm)].map(([, name]) => name)
}

/** Rewrites the visitors' pages among `pages`, and removes their payload files, which only Next's router requests. */
export async function makeVisitorsStatic(pages, script, registry) {
  const islands = islandNames(registry)
  const files = await listFiles(out)
  for (const { file, route } of pages.filter(({ visitors }) => visitors)) {
    try {
      await writeFile(file, toStatic(await readFile(file, 'utf8'), { script, islands }))
    } catch (error) {
      throw new Error(`${route}: ${error.message}`, { cause: error })
    }
    const stem = file.replace(/\.html$/, '')
    const payloads = files.filter(
      (name) => name === `${stem}.txt` || isSegmentOf(name, stem, route),
    )
    await Promise.all(payloads.map((name) => rm(name)))
  }
}

/** Whether the file `name` is a segment of the payload of the page at `route`. */
function isSegmentOf(name, stem, route) {
  const folder = route === '/' ? out : stem
  return path.dirname(name).startsWith(folder) && /^__next\./.test(path.relative(folder, name))
}
