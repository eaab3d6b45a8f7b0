import { readFile } from 'node:fs/promises'

/** A class of a CSS module as Next writes it: six letters for the file, then the name in the file. */
const exported = /\.((?:_(?=\d))?[\w-]{6})_([a-z][\w-]*)/gi
const notSelectors = /\/\*[\s\S]*?\*\/|url\([^)]*\)|"[^"]*"|'[^']*'/g
const written = /\.([a-z][\w-]*)/gi

const keyOf = (names) => [...names].sort().join(' ')

/** @returns {Map<string, string[]>} The prefixes in `css` that go with a set of names. */
function prefixesIn(css) {
  const modules = new Map()
  for (const [, prefix, name] of css.matchAll(exported)) {
    if (!modules.has(prefix)) modules.set(prefix, new Set())
    modules.get(prefix).add(name)
  }
  const prefixes = new Map()
  for (const [prefix, names] of modules) {
    const key = keyOf(names)
    prefixes.set(key, [...(prefixes.get(key) ?? []), prefix])
  }
  return prefixes
}

/** How the CSS module `source`, called `file` in errors, is named in the export with the style `css`. */
export function findModule(source, css, file) {
  const names = new Set([...source.replace(notSelectors, '').matchAll(written)].map(([, n]) => n))
  const [prefix, ...others] = prefixesIn(css).get(keyOf(names)) ?? []
  if (!prefix) throw new Error(`the export has no CSS module with the classes of ${file}`)
  if (others.length > 0) throw new Error(`another CSS module has the same classes as ${file}`)
  return {
    prefix,
    names: Object.fromEntries([...names].map((name) => [name, `${prefix}_${name}`])),
  }
}

/**
 * A Vite plugin: CSS modules have the names that they have in `css`, and bring no style of their own.
 * `api.prefixes` are those of the modules that were asked for.
 */
export function exportedClassNames(css) {
  // Not one that ends in .css, which Vite would take for a style sheet.
  const suffix = '.names.js'
  const prefixes = new Set()
  return {
    name: 'exported-class-names',
    enforce: 'pre',
    api: { prefixes },
    async resolveId(id, importer) {
      if (!id.endsWith('.module.css')) return null
      const file = await this.resolve(id, importer, { skipSelf: true })
      return file && file.id + suffix
    },
    async load(id) {
      if (!id.endsWith(suffix)) return null
      const file = id.slice(0, -suffix.length)
      const { prefix, names } = findModule(await readFile(file, 'utf8'), css, file)
      prefixes.add(prefix)
      return `export default ${JSON.stringify(names)}`
    },
  }
}
