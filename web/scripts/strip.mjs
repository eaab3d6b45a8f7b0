import { readFile, rm, writeFile } from 'node:fs/promises'
import { isVisitors, listFiles, out } from './pages.mjs'

const scripts = /<script\b[^>]*>[\s\S]*?<\/script>/g
const scriptPreloads = /<link\b(?=[^>]*\bas="script")[^>]*>/g

/**
 * `html` without the scripts of Next. Instead it has the module at `page`, and the one at `islands` if
 * it has some.
 */
export function replaceScripts(html, { page, islands }) {
  const modules = html.includes('<fledge-island') ? [page, islands] : [page]
  const elements = modules.map((src) => `<script type="module" src="${src}"></script>`).join('')
  return html
    .replace(scripts, '')
    .replace(scriptPreloads, '')
    .replace('</head>', `${elements}</head>`)
}

/** Those of `files` that hold the payload for client-side navigation to the page `stem`.html. */
export function payloadsOf(stem, files) {
  return files.filter(
    (name) =>
      name.endsWith('.txt') &&
      (name === `${stem}.txt` ||
        name.startsWith(`${stem}/__next.`) ||
        (stem.endsWith('/index') && name.startsWith(`${stem.slice(0, -'index'.length)}__next.`))),
  )
}

/** Strips visitors' pages, and their payloads for client-side navigation: a link loads them whole. */
export async function stripVisitorsPages(pages, sources) {
  const files = await listFiles(out)
  for (const { file, route } of pages.filter((page) => isVisitors(page.route))) {
    await writeFile(file, replaceScripts(await readFile(file, 'utf8'), sources))
    const payloads = payloadsOf(file.slice(0, -'.html'.length), files)
    await Promise.all(payloads.map((name) => rm(name)))
    if (payloads.length === 0 && route !== '/404') {
      throw new Error(`no navigation payload found beside ${route}`)
    }
  }
}
