import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import Beasties from 'beasties'
import { out } from './pages.mjs'

const sheets = /<link rel="stylesheet" href="([^"]+)"[^>]*>/g
const fontPreloads = /<link rel="preload"[^>]*\bas="font"[^>]*>/g
/** A font of the site; those of the visitor's machine have no address. */
const fontFaces = /@font-face\{[^}]*\burl\([^}]*\}/g
/** A page carries no more style than this in itself, in bytes; a larger one is a file beside it. */
const INLINE_LIMIT = 24 * 1024
/** Selectors that Beasties takes for unused. */
const beyondBeasties = /:(?:is|has|where)\(|[ >]:not\(|^::?(?:focus-visible|selection)$/

/** The style sheets that `html` asks for, in order. */
export const sheetsOf = (html) => [...html.matchAll(sheets)].map(([, href]) => href)

/** The text of the style sheet at `href`, which stands wherever it is put. */
async function readSheet(href) {
  const css = await readFile(path.join(out, href), 'utf8')
  return css.replace(/url\((?!["']?(?:data:|\/))([^)]+)\)/g, (_, relative) => {
    return `url(${new URL(relative, new URL(href, 'http://out')).pathname})`
  })
}

/** The rules of `hrefs` as one text. */
export async function readStyle(hrefs) {
  return (await Promise.all(hrefs.map(readSheet))).join('')
}

/** `css` without its web fonts, and those. */
export function splitFonts(css) {
  return { rules: css.replace(fontFaces, ''), fonts: (css.match(fontFaces) ?? []).join('') }
}

/** `css` without the fonts that `html` preloads, and those. */
export function splitPreloaded(css, html) {
  const preloaded = [...html.matchAll(fontPreloads)].map(
    ([link]) => /\bhref="([^"]+)"/.exec(link)[1],
  )
  const isPreloaded = (face) => preloaded.some((href) => face.includes(href))
  const held = (css.match(fontFaces) ?? []).filter(isPreloaded).join('')
  return { rules: css.replace(fontFaces, (face) => (isPreloaded(face) ? '' : face)), held }
}

/** Those of `fonts` that `rules` set text in, by name or by a custom property. */
export function usedFonts(rules, fonts) {
  const names = new Map([...rules.matchAll(/(--font-[\w-]+):([^;}]+)/g)].map(([, k, v]) => [k, v]))
  const resolve = (value) =>
    value.replace(/var\((--font-[\w-]+)\)/g, (_, name) => resolve(names.get(name) ?? ''))
  const set = [
    ...rules.replace(/@font-face\{[^}]*\}/g, '').matchAll(/[;{]font(?:-family)?:([^;}]+)/g),
  ]
  const families = set.map(([, value]) => resolve(value)).join()
  return (fonts.match(fontFaces) ?? [])
    .filter((face) => families.includes(/font-family:["']?([^;}"']+)/.exec(face)[1]))
    .join('')
}

/** `html` with its web fonts where the first-paint script finds them, and browsers without scripts. */
export function holdFonts(html, fonts) {
  const preloads = (html.match(fontPreloads) ?? []).join('')
  const held = `<noscript data-fonts>${preloads}<style>${fonts}</style></noscript>`
  return html.replace(fontPreloads, '').replace('</head>', () => `${held}</head>`)
}

/**
 * Those of `rules` that `html` uses, and those that its scripts will: what an island writes later begins
 * with one of the prefixes in `islands`, the question for consent is known by name. What stands for the
 * web fonts is kept, too: a custom property names it.
 */
export async function usedRules(html, rules, islands) {
  const fallbacks = (rules.match(/@font-face\{[^}]*\}/g) ?? []).join('')
  const later = islands.filter((prefix) => html.includes(prefix))
  const beasties = new Beasties({
    logLevel: 'warn',
    allowRules: [/consent/, beyondBeasties, ...later.map((prefix) => new RegExp(`\\.${prefix}_`))],
  })
  const styled = html.replace(sheets, '').replace('</head>', () => `<style>${rules}</style></head>`)
  const [, used] = /<style>([\s\S]*?)<\/style>/.exec(await beasties.process(styled))
  return used + fallbacks
}

/** `html` with `rules` in the place of its style sheets: in the page if that is small, else a file. */
export async function placeStyle(html, rules) {
  const element =
    rules.length <= INLINE_LIMIT
      ? `<style>${rules}</style>`
      : `<link rel="stylesheet" href="${await writeSheet(rules)}"/>`
  return html.replace(sheets, '').replace('</head>', () => `${element}</head>`)
}

/** Writes `rules` as one file of the export; resolves to its URL. */
export async function writeSheet(rules) {
  const hash = createHash('sha256').update(rules).digest('base64url').slice(0, 16)
  const href = `/_next/static/style/${hash}.css`
  await mkdir(path.dirname(path.join(out, href)), { recursive: true })
  await writeFile(path.join(out, href), rules)
  return href
}

/** `html` with the style sheet at `href` in the place of all its own. */
export function linkOnce(html, href) {
  return html
    .replace(sheets, '')
    .replace('</head>', () => `<link rel="stylesheet" href="${href}"/></head>`)
}
