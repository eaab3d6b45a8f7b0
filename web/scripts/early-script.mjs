import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { build } from 'vite'
import { isSignIn, web } from './pages.mjs'

const charset = /<meta charset="utf-8"\s*\/?>/i

/** `html` with `code` as its first script, ahead of every other script, style sheet and preload. */
export function insertFirst(html, code) {
  if (!charset.test(html)) throw new Error('a page of the export does not name its charset')
  const inline = `<script>${code.trim().replaceAll('</', '<\\/')}</script>`
  return html.replace(charset, (meta) => meta + inline)
}

/** Bundles src/early-script into one expression without imports; resolves to its text. */
export async function buildEarlyScript() {
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
      rollupOptions: {
        input: path.join(web, 'src/early-script/main.ts'),
        output: { format: 'iife' },
      },
    },
  })
  const [chunk, ...others] = [result].flat()[0].output
  if (others.length > 0) throw new Error('the early script is more than one file')
  return chunk.code
}

/** Gives the sign-in pages the script that clears their address before anything else runs. */
export async function addEarlyScript(pages, code) {
  const signIn = pages.filter(({ route }) => isSignIn(route))
  if (signIn.length === 0) throw new Error('the export has no sign-in pages')
  for (const { file } of signIn) {
    await writeFile(file, insertFirst(await readFile(file, 'utf8'), code))
  }
}
