import path from 'node:path'
import { build } from 'vite'
import { out, web } from './pages.mjs'
import { preact } from './preact.mjs'

/**
 * Bundles `input` into modules below `base`, an address, and resolves to them as Rollup describes
 * them. React's names, and those in `alias`, are Preact's.
 */
export async function buildModules(
  base,
  { input, plugins, alias = {}, codeSplitting, modulePreload = false },
) {
  const result = await build({
    configFile: false,
    root: web,
    base,
    publicDir: false,
    logLevel: 'warn',
    plugins,
    resolve: { alias: { '@': path.join(web, 'src'), ...preact, ...alias } },
    build: {
      outDir: path.join(out, base),
      emptyOutDir: true,
      modulePreload,
      target: 'es2022',
      rollupOptions: {
        // 'use client' is for Next.
        checks: { moduleLevelDirective: false },
        input,
        output: { entryFileNames: '[hash].js', chunkFileNames: '[hash].js', codeSplitting },
      },
    },
  })
  return [result].flat()[0].output
}
