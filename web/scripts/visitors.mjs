/**
 * Makes visitors' pages static documents: removes Next's run-time, inlines the CSS, and adds one script that hydrates
 * the islands. Anything unknown in a page fails the build.
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

/** Whether `link` is a style sheet of Next ('sheet'), or a preload of one of its files ('hint'). */
function linkKind({ properties: { rel = [], href = '', as } }) {
  if (rel.includes('stylesheet') && staticFile(href)) return 'sheet'
  if (rel.includes('preload') && (as === 'script' || as === 'style')) return 'hint'
  return 'other'
}

/** Removes Next's scripts, preloads and style sheets from `tree`; returns the addresses of the style sheets. */
function removeNext(tree) {
  const sheets = []
  let scripts = 0
  visit(tree, 'element', (node, index, parent) => {
    const kind = node.tagName === 'link' ? linkKind(node) : 'other'
    if (kind === 'sheet') sheets.push(node.properties.href)
    const next = node.tagName === 'script' && isNextScript(node)
    if (next) scripts += 1
    if (!next && kind === 'other') return undefined
    parent.children.splice(index, 1)
    return index
  })
  if (scripts === 0) throw new Error('no script of Next: is this its export?')
  if (sheets.length === 0) throw new Error('no style sheet')
  return sheets
}

/** Throws if `tree` needs one of the removed scripts, or names a class that does not exist. */
function checkContent(tree) {
  let titles = 0
  visit(tree, 'element', (node, _index, parent) => {
    const { id = '', className = [], dataName } = node.properties
    if (outlined.test(id))
      throw new Error(`React outlined a Suspense boundary (${id}): render it whole`)
    if (className.includes('undefined')) throw new Error(`a class is missing on <${node.tagName}>`)
    if (isElement(node, 'title') && isElement(parent, 'head')) titles += 1
    if (!isElement(node, 'fledge-island')) return
    visit(node, 'element', (inner) => {
      if (madeId.test(String(inner.properties.id ?? ''))) {
        throw new Error(`the island ${dataName} uses useId, which differs from the page's`)
      }
    })
  })
  if (titles !== 1) throw new Error(`${titles} titles in the head`)
}

const element = (tagName, properties, text) => ({
  type: 'element',
  tagName,
  properties,
  children: text ? [{ type: 'text', value: text }] : [],
})

/** Inlines `style` into the head of `tree`, and writes the address of the islands' script into its loader. */
function complete(tree, style, script) {
  let loaders = 0
  visit(tree, 'element', (node) => {
    if (isElement(node, 'head')) node.children.push(element('style', {}, style))
    if (node.properties.dataInline !== 'load-islands') return
    node.properties.dataIslands = script
    loaders += 1
  })
  if (loaders !== 1)
    throw new Error(`${loaders} scripts that load the islands: use components/visitors-page`)
}

/**
 * Returns the page `html` as a static document. `readSheet` reads the style sheet at an address, `script` is the
 * address of the islands' script.
 */
export async function toStatic(html, { readSheet, script }) {
  const tree = processor.parse(html)
  const sheets = await Promise.all(removeNext(tree).map(readSheet))
  checkContent(tree)
  complete(tree, sheets.join('\n'), script)
  return processor.stringify(tree)
}

/** The style sheet `css` from `href` with absolute addresses, so that it can be inlined into a page. */
export function rebased(css, href) {
  return css.replace(/url\((["']?)(?!["'#/]|data:)(.*?)\1\)/g, (_, quote, address) => {
    const { pathname } = new URL(address, `https://site.invalid${href}`)
    return `url(${quote}${pathname}${quote})`
  })
}

/** Rewrites the visitors' pages among `pages`, and removes their payload files, which only Next's router requests. */
export async function makeVisitorsStatic(pages, script) {
  const readSheet = async (href) => rebased(await readFile(path.join(out, href), 'utf8'), href)
  const files = await listFiles(out)
  for (const { file, route } of pages.filter(({ visitors }) => visitors)) {
    try {
      await writeFile(file, await toStatic(await readFile(file, 'utf8'), { readSheet, script }))
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
