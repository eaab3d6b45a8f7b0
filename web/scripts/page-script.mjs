import path from 'node:path'
import { build } from 'vite'
import { exportedClassNames } from './class-names.mjs'
import { out, web } from './pages.mjs'
import { preact } from './preact.mjs'

const base = '/_next/static/page/'

/**
 * Bundles src/page-script next to Next's own hashed files, for pages with the style `css`. Resolves to
 * the URLs of its two modules and to the beginnings of the class names that islands use.
 */
export async function buildPageScript(css) {
  const names = exportedClassNames(css)
  const result = await build({
    configFile: false,
    root: web,
    base,
    publicDir: false,
    logLevel: 'warn',
    plugins: [names],
    resolve: { alias: { '@': path.join(web, 'src'), ...preact } },
    build: {
      outDir: path.join(out, base),
      emptyOutDir: true,
      modulePreload: false,
      target: 'es2022',
      rollupOptions: {
        // 'use client' is for Next.
        checks: { moduleLevelDirective: false },
        input: {
          page: path.join(web, 'src/page-script/main.ts'),
          islands: path.join(web, 'src/page-script/islands.ts'),
        },
        output: { entryFileNames: '[hash].js', chunkFileNames: '[hash].js' },
      },
    },
  })
  const entries = [result].flat()[0].output.filter((chunk) => chunk.isEntry)
  const sources = Object.fromEntries(entries.map(({ name, fileName }) => [name, base + fileName]))
  return { sources, prefixes: [...names.api.prefixes] }
}
