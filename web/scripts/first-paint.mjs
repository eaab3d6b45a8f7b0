/**
 * What stands between a visitor and the text: one request, two for a page with much style. On visitors'
 * pages fonts and scripts are held until the text is painted (src/first-paint). App pages have little to
 * show before their scripts, which come at once; their fonts wait until all else is there.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { bundle, inline } from './inline-script.mjs'
import { isVisitors, listFiles, out } from './pages.mjs'
import {
  holdFonts,
  linkOnce,
  placeStyle,
  readStyle,
  sheetsOf,
  splitFonts,
  splitPreloaded,
  usedFonts,
  usedRules,
  writeSheet,
} from './style.mjs'

const moduleFiles = /<script type="module" /g

/** `html` with its modules as elements that no browser loads. */
export function holdScripts(html) {
  return html.replace(moduleFiles, '<script type="text/held" ')
}

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

const withScript = (html, code) => html.replace('</head>', () => `${inline(code)}</head>`)

/** Gives visitors' `pages` the style that they use, and the script that adds what is held. */
export async function paintFirst(pages, islands) {
  const code = await bundle('first-paint/main.ts')
  for (const { file } of pages.filter(({ route }) => isVisitors(route))) {
    await rewrite(file, async (html) => {
      const { rules, fonts } = splitFonts(await readStyle(sheetsOf(html)))
      const used = await usedRules(html, rules, islands)
      const styled = await placeStyle(html, used)
      return withScript(holdScripts(holdFonts(styled, usedFonts(used, fonts))), code)
    })
  }
}

/** The rules of app pages, and those of what they load later, which no page asks for. */
export async function appStyle(pages) {
  const visitors = new Set(await sheetsOfAll(pages.filter(({ route }) => isVisitors(route))))
  const apps = await sheetsOfAll(pages.filter(({ route }) => !isVisitors(route)))
  const files = (await listFiles(out)).filter((file) => file.endsWith('.css'))
  const others = files
    .map((file) => `/${path.relative(out, file)}`)
    .filter((href) => !visitors.has(href) && !apps.includes(href))
  return readStyle([...apps, ...others])
}

/** Gives app pages their style `rules` as one file: who goes from one to the next has it. */
export async function shareStyle(pages, style) {
  const code = await bundle('first-paint/app.ts')
  for (const { file } of pages.filter(({ route }) => !isVisitors(route))) {
    await rewrite(file, async (html) => {
      const { rules, held } = splitPreloaded(style, html)
      return withScript(holdFonts(linkOnce(html, await writeSheet(rules)), held), code)
    })
  }
}
