/** Byte gate: fails when a page of the export ships more than it may. Run after `npm run build`. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { loadedBy, reachableFrom, visitorsRulesIn } from './loads.mjs'
import { classNames, listPages, out } from './pages.mjs'

const KB = 1024
/**
 * Brotli, for a page's first load: script, style sheets, and the document (with a visitors' page's style); and all
 * that it may load later, such as dialogs and analytics.
 */
const limits = {
  visitors: { script: 75 * KB, style: 0, document: 20 * KB, later: 60 * KB },
  app: { script: 190 * KB, style: 10 * KB, document: 10 * KB, later: 270 * KB },
}

/** The transfer size of `file`: its compressed form, which for pages only the front door creates. */
async function bytes(file) {
  const compressed = await stat(`${file}.br`).catch(() => null)
  return compressed ? compressed.size : brotliCompressSync(await readFile(file)).length
}

async function total(addresses) {
  const sizes = await Promise.all([...addresses].map((address) => bytes(path.join(out, address))))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const names = JSON.parse(await readFile(classNames, 'utf8'))

async function measure({ file, route, visitors }) {
  const html = await readFile(file, 'utf8')
  const { scripts, sheets } = loadedBy(html)
  const reachable = await reachableFrom(html)
  const figures = {
    script: await total(scripts),
    style: await total(sheets),
    document: await bytes(file),
    later: await total([...reachable].filter((file) => !scripts.has(file) && !sheets.has(file))),
  }
  const styles = await Promise.all(
    [...sheets].map((sheet) => readFile(path.join(out, sheet), 'utf8')),
  )
  const foreign = visitors ? [] : visitorsRulesIn(styles.join('\n'), names)
  return { route, figures, foreign, limit: visitors ? limits.visitors : limits.app }
}

const rows = await Promise.all((await listPages()).map(measure))
if (rows.length === 0) throw new Error('no pages in out/: run `npm run build` first')
let over = 0
for (const { route, figures, foreign, limit } of rows) {
  const missed = Object.keys(limit).filter((what) => figures[what] > limit[what])
  const bad = missed.length > 0 || foreign.length > 0
  if (bad) over += 1
  const text = Object.keys(limit).map(
    (what) => `${what} ${(figures[what] / KB).toFixed(1)}/${limit[what] / KB}`,
  )
  console.log(`${bad ? 'OVER' : 'ok  '} ${route.padEnd(44)} ${text.join('  ')} KB br`)
  for (const name of foreign) console.log(`     its style sheets have rules of ${name}`)
}
if (over > 0) {
  console.error(`budget: ${over} page(s) over the limit`)
  process.exitCode = 1
}
