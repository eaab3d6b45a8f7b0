import { readFile, writeFile } from 'node:fs/promises'
import { bundle, inline } from './inline-script.mjs'
import { isSignIn, isVisitors } from './pages.mjs'

const charset = /<meta charset="utf-8"\s*\/?>/i

/** `html` with `code` as its first script, ahead of every other script, style sheet and preload. */
export function insertFirst(html, code) {
  if (!charset.test(html)) throw new Error('a page of the export does not name its charset')
  return html.replace(charset, (meta) => meta + inline(code))
}

/**
 * Gives app pages what runs before anything else: sign-in pages clear their address, the others ask for
 * the session of whoever seems to be signed in.
 */
export async function addEarlyScripts(pages) {
  if (!pages.some(({ route }) => isSignIn(route)))
    throw new Error('the export has no sign-in pages')
  const clearAddress = await bundle('early-script/main.ts')
  const askForSession = await bundle('early-session/main.ts')
  for (const { file, route } of pages.filter(({ route }) => !isVisitors(route))) {
    const code = isSignIn(route) ? clearAddress : askForSession
    await writeFile(file, insertFirst(await readFile(file, 'utf8'), code))
  }
}
