import { readFile, rm, writeFile } from 'node:fs/promises'
import { isText, listFiles, out } from './pages.mjs'

const scripts = /<script\b[^>]*>[\s\S]*?<\/script>/g
const scriptPreloads = /<link\b(?=[^>]*\bas="script")[^>]*>/g

/** `html` without the scripts of Next, with the module at `src` instead. */
export function replaceScripts(html, src) {
  return html
    .replace(scripts, '')
    .replace(scriptPreloads, '')
    .replace('</head>', `<script type="module" src="${src}"></script></head>`)
}

/** Strips the text pages, and their payloads for client-side navigation: a link loads them whole. */
export async function stripTextPages(pages, src) {
  const files = await listFiles(out)
  for (const { file, route } of pages.filter((page) => isText(page.route))) {
    await writeFile(file, replaceScripts(await readFile(file, 'utf8'), src))
    const stem = file.slice(0, -'.html'.length)
    const payloads = files.filter(
      (name) => name === `${stem}.txt` || (name.startsWith(`${stem}/`) && name.endsWith('.txt')),
    )
    await Promise.all(payloads.map((name) => rm(name)))
    if (payloads.length === 0) throw new Error(`no navigation payload found beside ${route}`)
  }
}
