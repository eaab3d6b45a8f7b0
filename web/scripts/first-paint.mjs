/**
 * What stands between a visitor and the text: one request for text pages, two and the font for the
 * others, which would pay for a change of fonts while their scripts start. On visitors' pages the rest
 * is held until the text is painted (src/first-paint).
 */
import { readFile, writeFile } from 'node:fs/promises'
import { bundle, inline } from './inline-script.mjs'
import { isMarketing, isText, listFiles, out } from './pages.mjs'
import {
  holdFonts,
  inlineStyle,
  linkOnce,
  readStyle,
  sheetsOf,
  splitFonts,
  writeSheet,
} from './style.mjs'

const scriptPreloads = /<link rel="preload"[^>]*\bas="script"[^>]*>/g
const scriptFiles = /<script\b(?=[^>]*\bsrc=)(?![^>]*\bnomodule\b)([^>]*)>/gi

/** `html` with its script files as elements that no browser loads. */
export function holdScripts(html) {
  return html
    .replace(scriptPreloads, '')
    .replace(
      scriptFiles,
      (_, attributes) => `<script type="text/held"${attributes.replace(/\btype=/, 'data-type=')}>`,
    )
}

export const buildFirstPaint = () => bundle('first-paint/main.ts')

async function rewrite(file, change) {
  await writeFile(file, await change(await readFile(file, 'utf8')))
}

/** Text pages carry the style that they use. */
async function addOwnStyle(page) {
  await rewrite(page.file, async (html) => {
    const { rules, fonts } = splitFonts(await readStyle(sheetsOf(html)))
    return holdFonts(await inlineStyle(html, rules), fonts)
  })
}

/** The other pages share one file: who goes from one to the next has it. */
async function addSharedStyle(pages) {
  const texts = await Promise.all(pages.map(({ file }) => readFile(file, 'utf8')))
  const hrefs = [...new Set(texts.flatMap(sheetsOf))]
  const href = await writeSheet(await readStyle(hrefs))
  for (const { file } of pages) {
    await rewrite(file, (html) => linkOnce(html, hrefs, href))
  }
  const payloads = (await listFiles(out)).filter((file) => file.endsWith('.txt'))
  for (const file of payloads) await rewrite(file, (payload) => linkOnce(payload, hrefs, href))
}

/**
 * Gives each page its style first. Visitors' pages also get the script `code`, which adds what is held;
 * app pages have little to show before their scripts, which come at once.
 */
export async function paintFirst(pages, code) {
  for (const page of pages.filter(({ route }) => isText(route))) await addOwnStyle(page)
  await addSharedStyle(pages.filter(({ route }) => !isText(route)))
  for (const { file } of pages.filter(({ route }) => isMarketing(route))) {
    await rewrite(file, (html) =>
      holdScripts(html).replace('</head>', () => `${inline(code)}</head>`),
    )
  }
}
