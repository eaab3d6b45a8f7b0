import { readFile, writeFile } from 'node:fs/promises'
import { bundle, inline } from './inline-script.mjs'
import { isSignIn } from './pages.mjs'

const charset = /<meta charset="utf-8"\s*\/?>/i

/** `html` with `code` as its first script, ahead of every other script, style sheet and preload. */
export function insertFirst(html, code) {
  if (!charset.test(html)) throw new Error('a page of the export does not name its charset')
  return html.replace(charset, (meta) => meta + inline(code))
}

export const buildEarlyScript = () => bundle('early-script/main.ts')

/** Gives the sign-in pages the script that clears their address before anything else runs. */
export async function addEarlyScript(pages, code) {
  const signIn = pages.filter(({ route }) => isSignIn(route))
  if (signIn.length === 0) throw new Error('the export has no sign-in pages')
  for (const { file } of signIn) {
    await writeFile(file, insertFirst(await readFile(file, 'utf8'), code))
  }
}
