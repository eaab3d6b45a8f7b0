import { readFile } from 'node:fs/promises'
import path from 'node:path'
import react from '@vitejs/plugin-react'
import { build } from 'vite'
import { out, web } from './pages.mjs'

const base = '/_next/static/islands/'
const src = path.join(web, 'src')

/**
 * A Vite plugin: CSS modules have the class names that Next gave them, as its build lists them in the exported
 * file `names` (src/app/islands). Their rules are in the page already.
 */
function nextClassNames(names) {
  const suffix = '.names.js'
  return {
    name: 'next-class-names',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (!id.endsWith('.module.css')) return null
      const file = await this.resolve(id, importer, { skipSelf: true })
      // Not one that ends in .css, which Vite would take for a style sheet.
      return file && file.id + suffix
    },
    load(id) {
      if (!id.endsWith(suffix)) return null
      const sheet = `./${path.relative(src, id.slice(0, -suffix.length))}`
      if (!names[sheet]) throw new Error(`Next has no class names for ${sheet}`)
      return `export default ${JSON.stringify(names[sheet])}`
    },
  }
}

/** The `browserslist` of package.json as the bundler writes it: `ios_saf >= 15.6` is `ios15.6`. */
async function supportedBrowsers() {
  const { browserslist } = JSON.parse(await readFile(path.join(web, 'package.json'), 'utf8'))
  return browserslist.map((line) => line.replace(' >= ', '').replace('ios_saf', 'ios'))
}

/** Bundles src/islands beside Next's own files. Resolves to the address of the script that pages load. */
export async function bundleIslands() {
  const listed = path.join(out, 'islands/class-names.json')
  const names = JSON.parse(await readFile(listed, 'utf8'))
  const result = await build({
    configFile: false,
    root: web,
    base,
    publicDir: false,
    logLevel: 'warn',
    plugins: [nextClassNames(names), react()],
    resolve: { alias: { '@': src } },
    define: { 'typeof window': '"object"' },
    build: {
      outDir: path.join(out, base),
      emptyOutDir: true,
      modulePreload: false,
      target: await supportedBrowsers(),
      rollupOptions: {
        // 'use client' is for Next.
        checks: { moduleLevelDirective: false },
        input: path.join(src, 'islands/main.ts'),
        output: { entryFileNames: '[hash].js', chunkFileNames: '[hash].js' },
      },
    },
  })
  const entry = [result].flat()[0].output.find(({ isEntry }) => isEntry)
  return base + entry.fileName
}
