import path from 'node:path'
import { build } from 'vite'
import { out, web } from './pages.mjs'

const base = '/_next/static/page/'

/** Bundles src/page-script next to Next's own hashed files; resolves to the entry's URL. */
export async function buildPageScript() {
  const result = await build({
    configFile: false,
    root: web,
    base,
    publicDir: false,
    logLevel: 'warn',
    resolve: { alias: { '@': path.join(web, 'src') } },
    build: {
      outDir: path.join(out, base),
      emptyOutDir: true,
      modulePreload: false,
      target: 'es2022',
      rollupOptions: {
        input: path.join(web, 'src/page-script/main.ts'),
        output: { entryFileNames: '[hash].js', chunkFileNames: '[hash].js' },
      },
    },
  })
  const entry = [result].flat()[0].output.find((chunk) => chunk.isEntry)
  return base + entry.fileName
}
