/** Byte gate: fails when a page of the export ships more than it may. Run after `npm run build`. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import rehypeParse from 'rehype-parse'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { listPages, out } from './pages.mjs'

const KB = 1024
/** Brotli, for a page's first load: script, style sheets, and the document (with a visitors' page's style). */
const limits = {
  visitors: { script: 75 * KB, style: 0, document: 20 * KB },
  app: { script: 190 * KB, style: 10 * KB, document: 10 * KB },
}

const parser = unified().use(rehypeParse)

/** The transfer size of `file`: its compressed form, which for pages only the front door creates. */
async function bytes(file) {
  const compressed = await stat(`${file}.br`).catch(() => null)
  return compressed ? compressed.size : brotliCompressSync(await readFile(file)).length
}

/** The scripts and style sheets that the page at `file` loads by itself. */
async function loadedBy(file) {
  const scripts = new Set()
  const sheets = new Set()
  visit(parser.parse(await readFile(file, 'utf8')), 'element', ({ tagName, properties }) => {
    const { src, href, rel = [], noModule, dataIslands } = properties
    const script = src ?? dataIslands
    if (tagName === 'script' && script && !noModule) scripts.add(script)
    if (tagName === 'link' && rel.includes('stylesheet')) sheets.add(href)
  })
  return { scripts, sheets }
}

async function total(addresses) {
  const sizes = await Promise.all([...addresses].map((address) => bytes(path.join(out, address))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

async function measure({ file, route, visitors }) {
  const { scripts, sheets } = await loadedBy(file)
  const figures = {
    script: await total(scripts),
    style: await total(sheets),
    document: await bytes(file),
  }
  return { route, figures, limit: visitors ? limits.visitors : limits.app }
}

const rows = await Promise.all((await listPages()).map(measure))
if (rows.length === 0) throw new Error('no pages in out/: run `npm run build` first')
let over = 0
for (const { route, figures, limit } of rows) {
  const missed = Object.keys(limit).filter((what) => figures[what] > limit[what])
  if (missed.length > 0) over += 1
  const text = Object.keys(limit).map(
    (what) => `${what} ${(figures[what] / KB).toFixed(1)}/${limit[what] / KB}`,
  )
  console.log(`${missed.length > 0 ? 'OVER' : 'ok  '} ${route.padEnd(44)} ${text.join('  ')} KB br`)
}
if (over > 0) {
  console.error(`budget: ${over} page(s) over the limit`)
  process.exitCode = 1
}
