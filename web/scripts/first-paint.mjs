/**
 * What stands between a visitor and the text: one request, two for a page with much style. On visitors'
 * pages fonts and scripts are held until the text is painted (src/first-paint); app pages have little to
 * show before their scripts, which come at once.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { bundle, inline } from './inline-script.mjs'
import { isVisitors, listFiles, out } from './pages.mjs'
import {
  holdFonts,
  linkOnce,
  placeStyle,
  readStyle,
  sheetsOf,
  splitFonts,
  usedFonts,
  usedRules,
  writeSheet,
} from './style.mjs'

const moduleFiles = /<script type="module" src="/g

/** `html` with its modules as elements that no browser loads. */
export function holdScripts(html) {
  return html.replace(moduleFiles, '<script type="text/held" src="')
}

export const buildFirstPaint = () => bundle('first-paint/main.ts')

async function rewrite(file, change) {
  await writeFile(file, await change(await readFile(file, 'utf8')))
}

async function sheetsOfAll(pages) {
  const texts = await Promise.all(pages.map(({ file }) => readFile(file, 'utf8')))
  return [...new Set(texts.flatMap(sheetsOf))]
}

/** The rules of every style sheet that visitors' `pages` ask for. */
export async function visitorsStyle(pages) {
  return readStyle(await sheetsOfAll(pages.filter(({ route }) => isVisitors(route))))
}

/** Gives visitors' `pages` the style that they use, and the script `code`, which adds what is held. */
export async function paintFirst(pages, code, islands) {
  for (const { file } of pages.filter(({ route }) => isVisitors(route))) {
    await rewrite(file, async (html) => {
      const { rules, fonts } = splitFonts(await readStyle(sheetsOf(html)))
      const used = await usedRules(html, rules, islands)
      const styled = await placeStyle(html, used)
      return holdScripts(holdFonts(styled, usedFonts(used, fonts))).replace(
        '</head>',
        () => `${inline(code)}</head>`,
      )
    })
  }
}

/** The style of app pages as one file: who goes from one to the next has it. */
export async function shareStyle(pages) {
  const apps = pages.filter(({ route }) => !isVisitors(route))
  const hrefs = await sheetsOfAll(apps)
  const href = await writeSheet(await readStyle(hrefs))
  const payloads = (await listFiles(out)).filter((file) => file.endsWith('.txt'))
  for (const file of [...apps.map(({ file }) => file), ...payloads]) {
    await rewrite(file, (text) => linkOnce(text, hrefs, href))
  }
}
