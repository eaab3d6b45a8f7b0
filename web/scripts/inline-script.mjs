import path from 'node:path'
import { build } from 'vite'
import { web } from './pages.mjs'

/** Bundles the script at `entry`, below src/, into one expression without imports; resolves to its text. */
export async function bundle(entry) {
  const result = await build({
    configFile: false,
    root: web,
    publicDir: false,
    logLevel: 'warn',
    resolve: { alias: { '@': path.join(web, 'src') } },
    build: {
      write: false,
      target: 'es2022',
      modulePreload: false,
      rollupOptions: { input: path.join(web, 'src', entry), output: { format: 'iife' } },
    },
  })
  const [chunk, ...others] = [result].flat()[0].output
  if (others.length > 0) throw new Error(`${entry} is more than one file`)
  return chunk.code
}

/** `code` as an element of its own, which it cannot end. */
export function inline(code) {
  return `<script>${code.trim().replaceAll('</', '<\\/')}</script>`
}
