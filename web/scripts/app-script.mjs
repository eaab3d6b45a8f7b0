import { access } from 'node:fs/promises'
import path from 'node:path'
import { exportedClassNames } from './class-names.mjs'
import { buildModules } from './modules.mjs'
import { listFiles, web } from './pages.mjs'
import { next } from './preact.mjs'

const base = '/_next/static/app/'
const root = path.join(web, 'src/app/(app)')
const prefix = 'app-page:'

const chakra = /node_modules\/@chakra-ui\//
const reached = new Map()

/** Whether `id`, a module, imports Chakra, or one that does. */
function isDesigned(id, bundle) {
  if (!reached.has(id)) {
    reached.set(id, chakra.test(id))
    const imported = bundle.getModuleInfo(id)?.importedIds ?? []
    if (imported.some((other) => isDesigned(other, bundle))) reached.set(id, true)
  }
  return reached.get(id)
}

/**
 * Modules that pages share, several so that the browser can run each when it is there: those that all
 * start with, those that the views have in common, and the design system, with which nobody starts.
 */
const groups = [
  { name: 'preact', test: /node_modules\/preact\//, tags: ['$initial'] },
  {
    name: 'store',
    test: /node_modules\/(?:@reduxjs|redux|react-redux|immer|reselect)\//,
    tags: ['$initial'],
  },
  { name: 'app', test: (id) => !id.includes(prefix), tags: ['$initial'] },
  { name: 'chakra', test: /node_modules\// },
  { name: 'theme', test: /\/src\/components\/app\/theme\// },
  {
    debugName: 'views',
    name: (id, bundle) => (isDesigned(id, bundle) ? null : 'views'),
    test: /\/src\//,
    minShareCount: 3,
  },
].map((group, at) => ({
  // What one page alone has stays with it: running it is asking for what that page shows.
  minShareCount: 2,
  priority: 10 - at,
  ...group,
}))

const url = (file) => base + file

/** The path of the page in `directory`, below `root`: names in brackets do not count. */
export function routeOf(directory) {
  const names = directory.split(path.sep).filter((name) => name && !/^\(.*\)$/.test(name))
  return `/${names.join('/')}`
}

/** Where layouts of the page in `directory` may be, the outermost first. */
export function layoutsOf(directory) {
  const names = directory.split(path.sep).filter(Boolean)
  return ['', ...names].map((_, depth) => path.join(...names.slice(0, depth), 'layout.tsx'))
}

async function existing(files) {
  const there = (file) =>
    access(path.join(root, file)).then(
      () => true,
      () => false,
    )
  const found = await Promise.all(files.map(there))
  return files.filter((_, at) => found[at])
}

/** The module that starts the page in `directory`. */
async function entry(directory) {
  const from = (file) => JSON.stringify(path.join(root, file))
  const layouts = await existing(layoutsOf(directory))
  return [
    `import { start } from '@/app-script/start'`,
    ...layouts.map((file, at) => `import Layout${at} from ${from(file)}`),
    `import Page from ${from(path.join(directory, 'page.tsx'))}`,
    `start(Page, [${layouts.map((_, at) => `Layout${at}`)}])`,
  ].join('\n')
}

/** A Vite plugin: entries that are called by the directory of their page. */
const entries = {
  name: 'app-pages',
  resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : null),
  load: (id) => (id.startsWith(`\0${prefix}`) ? entry(id.slice(prefix.length + 1)) : null),
}

/**
 * Bundles the pages of src/app/(app) with the style `css`. Resolves by each page's route to the URLs of
 * its modules in the order in which they run, `starts`, to those of the views that it asks for, `soon`, and
 * to those that any of these may ask for, `later`.
 */
export async function buildAppScripts(css) {
  const files = (await listFiles(root)).filter((file) => path.basename(file) === 'page.tsx')
  const directories = files.map((file) => path.relative(root, path.dirname(file)))
  const modules = await buildModules(base, {
    plugins: [exportedClassNames(css), entries],
    alias: next,
    input: Object.fromEntries(directories.map((name) => [routeOf(name).slice(1), prefix + name])),
    codeSplitting: { groups },
    // A view is asked for with all that it imports.
    modulePreload: { polyfill: false },
  })
  const byName = new Map(modules.map((module) => [module.fileName, module]))
  const inOrder = (name, seen = new Set()) => {
    for (const other of byName.get(name).imports) if (!seen.has(other)) inOrder(other, seen)
    return seen.add(name)
  }
  const withImports = (names) => {
    const seen = new Set()
    for (const name of names) inOrder(name, seen)
    return seen
  }
  const askedFor = (names) => withImports(names.flatMap((name) => byName.get(name).dynamicImports))
  const entryModules = modules.filter(({ isEntry }) => isEntry)
  return new Map(
    entryModules.map(({ name, fileName }) => {
      const starts = [...inOrder(fileName)]
      const soon = [...askedFor([fileName])].filter((file) => !starts.includes(file))
      const first = [...starts, ...soon]
      const later = [...askedFor(first)].filter((file) => !first.includes(file))
      return [`/${name}`, { starts: starts.map(url), soon: soon.map(url), later: later.map(url) }]
    }),
  )
}
