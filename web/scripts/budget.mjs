/** Byte gate: fails when a page of the export ships more than it may. Run after `npm run build`. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { isVisitors, listPages, out } from './pages.mjs'

const KB = 1024
/** First-load JavaScript, brotli: text alone, visitors' pages with islands, app pages with their views. */
const scriptLimit = (route, html) =>
  (!isVisitors(route) ? 60 : html.includes('<fledge-island') ? 20 : 4) * KB
/** HTML, gzip, of every page. */
const HTML_LIMIT = 15 * KB

const size = async (file) => (await stat(file).catch(() => ({ size: 0 }))).size

async function compressedSize(file, suffix) {
  return (await size(file + suffix)) || size(file)
}

/** What a page has only when it is quiet. */
const later = /<template data-later>.*?<\/template>/s

/** `sources` and what they import before they run. */
async function withImports(sources, seen = new Set()) {
  for (const source of sources.filter((name) => !seen.has(name))) {
    seen.add(source)
    const code = await readFile(path.join(out, source), 'utf8')
    const imports = [...code.matchAll(/\b(?:from|import)\s*"(\.\/[^"]+\.js)"/g)]
    const names = imports.map(([, name]) => path.posix.join(path.posix.dirname(source), name))
    await withImports(names, seen)
  }
  return seen
}

async function measure({ file, route }) {
  const html = await readFile(file, 'utf8')
  const sources = [
    ...html.replace(later, '').matchAll(/<(?:script|link rel="modulepreload")([^>]*)>/g),
  ]
    .filter(([, attributes]) => !/\bnomodule\b/i.test(attributes))
    .map(([, attributes]) => /\b(?:src|href)="([^"]+)"/.exec(attributes)?.[1])
    .filter(Boolean)
  const sizes = await Promise.all(
    [...(await withImports(sources))].map((source) =>
      compressedSize(path.join(out, source), '.br'),
    ),
  )
  const script = sizes.reduce((sum, bytes) => sum + bytes, 0)
  const limit = scriptLimit(route, html)
  return { route, script, limit, html: await compressedSize(file, '.gz') }
}

const rows = await Promise.all((await listPages()).map(measure))
let over = 0
for (const { route, script, limit, html } of rows) {
  const fits = script <= limit && html <= HTML_LIMIT
  if (!fits) over += 1
  const figures = [script, limit, html, HTML_LIMIT].map((bytes) => (bytes / KB).toFixed(1))
  const [js, jsMax, page, pageMax] = figures
  console.log(
    `${fits ? 'ok  ' : 'OVER'} ${route.padEnd(44)} js ${js}/${jsMax} KB br  html ${page}/${pageMax} KB gz`,
  )
}
if (rows.length === 0) throw new Error('no pages in out/: run `npm run build` first')
if (over > 0) {
  console.error(`budget: ${over} page(s) over the limit`)
  process.exitCode = 1
}
