import path from 'node:path'
import { exportedClassNames } from './class-names.mjs'
import { buildModules } from './modules.mjs'
import { web } from './pages.mjs'

const base = '/_next/static/page/'

/**
 * Bundles src/page-script next to Next's own hashed files, for pages with the style `css`. Resolves to
 * the URLs of its two modules and to the beginnings of the class names that islands use.
 */
export async function buildPageScript(css) {
  const names = exportedClassNames(css)
  const modules = await buildModules(base, {
    plugins: [names],
    input: {
      page: path.join(web, 'src/page-script/main.ts'),
      islands: path.join(web, 'src/page-script/islands.ts'),
    },
  })
  const entries = modules.filter(({ isEntry }) => isEntry)
  const sources = Object.fromEntries(entries.map(({ name, fileName }) => [name, base + fileName]))
  return { sources, prefixes: [...names.api.prefixes] }
}
