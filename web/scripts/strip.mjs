import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { isVisitors, listFiles, out } from './pages.mjs'

const next = path.join(out, '_next/static')
const scripts = /<script\b[^>]*>[\s\S]*?<\/script>/g
const scriptPreloads = /<link\b(?=[^>]*\bas="script")[^>]*>/g

/**
 * `html` with the modules at `starts` instead of the scripts of Next. Those at `soon` are fetched, too,
 * and those at `later` when the page is quiet (src/app-script/start.tsx); they run when asked for.
 */
export function replaceScripts(html, { starts, soon = [], later = [] }) {
  const links = (hrefs) =>
    hrefs.map((href) => `<link rel="modulepreload" href="${href}" fetchpriority="low">`)
  // What is painted first, the style, comes first.
  const modules = [
    ...starts.map((src) => `<script type="module" src="${src}" fetchpriority="low"></script>`),
    ...links(soon),
    ...(later.length > 0 ? [`<template data-later>${links(later).join('')}</template>`] : []),
  ]
  return html
    .replace(scripts, '')
    .replace(scriptPreloads, '')
    .replace('</head>', `${modules.join('')}</head>`)
}

/** The modules of a visitors' page: that of every page, and that of the islands if it has some. */
export function visitorsModules(html, { page, islands }) {
  return html.includes('<fledge-island') ? [page, islands] : [page]
}

/** Gives `pages` their own modules: those in `page` to visitors', the others by their route in `app`. */
export async function replaceAllScripts(pages, page, app) {
  for (const { file, route } of pages) {
    const html = await readFile(file, 'utf8')
    const modules = isVisitors(route) ? { starts: visitorsModules(html, page) } : app.get(route)
    if (!modules) throw new Error(`${route} has no script`)
    await writeFile(file, replaceScripts(html, modules))
  }
}

/** Those of `files` that hold payloads for Next's navigation between `pages`, all of them HTML files. */
export function payloadsOf(pages, files) {
  const stems = new Set(pages.map((page) => page.replace(/\.html$/, '.txt')))
  return files.filter((file) => stems.has(file) || /^__next\..*\.txt$/.test(path.basename(file)))
}

/** Removes what only Next's run-time would ask for: payloads to navigate with, scripts, and their style. */
export async function removeNext(pages) {
  const payloads = payloadsOf(
    pages.map(({ file }) => file),
    await listFiles(out),
  )
  if (payloads.length < pages.length) throw new Error('pages have no navigation payloads any more')
  await Promise.all(payloads.map((file) => rm(file)))
  const names = await readdir(next)
  const unused = names.filter((name) => !['app', 'media', 'page', 'style'].includes(name))
  await Promise.all(unused.map((name) => rm(path.join(next, name), { recursive: true })))
}
