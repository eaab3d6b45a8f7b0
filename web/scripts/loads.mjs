import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { visit } from 'unist-util-visit'
import { out, parseHtml } from './pages.mjs'

/** Sets of addresses: the scripts and style sheets that a page loads by itself, and the scripts that no supported browser does. */
export function loadedBy(html) {
  const scripts = new Set()
  const sheets = new Set()
  const outdated = new Set()
  visit(parseHtml(html), 'element', ({ tagName, properties }) => {
    const { src, href, rel = [], noModule, dataIslands } = properties
    const script = src ?? dataIslands
    if (tagName === 'script' && script) (noModule ? outdated : scripts).add(script)
    if (tagName === 'link' && rel.includes('stylesheet')) sheets.add(href)
  })
  return { scripts, sheets, outdated }
}

/** The addresses of files of the build that a page or a script names. Islands name each other by './'. */
function namedIn(text, islands = false) {
  const named = text.matchAll(/\bstatic\/(?:chunks|islands)\/[\w.~-]+\.(?:js|css)\b/g)
  const beside = islands ? text.matchAll(/(?<=["'`]\.\/)[\w-]+\.js(?=["'`])/g) : []
  return [
    ...[...named].map(([file]) => `/_next/${file}`),
    ...[...beside].map(([file]) => `/_next/static/islands/${file}`),
  ]
}

/** The address of each file of the build that a page loads by itself or may load later, on whatever click. */
export async function reachableFrom(
  html,
  read = (address) => readFile(path.join(out, address), 'utf8'),
) {
  const { outdated } = loadedBy(html)
  const found = new Set(namedIn(html).filter((address) => !outdated.has(address)))
  // What is added meanwhile is visited, too.
  for (const address of found) {
    if (!address.endsWith('.js')) continue
    for (const next of namedIn(await read(address), address.includes('/islands/'))) found.add(next)
  }
  return found
}

/**
 * The CSS modules of visitors' pages whose rules are in a style sheet. `names` are the classes of every module, as
 * the build lists them.
 */
export function visitorsRulesIn(sheet, names) {
  const classes = new Set([...sheet.matchAll(/\.([\w-]+)/g)].map(([, name]) => name))
  return Object.entries(names)
    .filter(([module]) => /^\.\/features\/(landing|blog)\//.test(module))
    .filter(([, own]) => Object.values(own).some((list) => classes.has(list.split(' ')[0])))
    .map(([module]) => module)
}
