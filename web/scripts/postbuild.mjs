/**
 * What happens to the export after `next build`: pages lose the Next run-time and get small scripts of
 * their own, visitors' pages paint their text first, sign-in pages get a script that runs before all
 * others, every page gets its Content-Security-Policy, every file its compressed forms.
 */
import { buildAppScripts } from './app-script.mjs'
import { compressExport } from './compress.mjs'
import { writePolicies } from './csp.mjs'
import { addEarlyScripts } from './early-script.mjs'
import { appStyle, paintFirst, shareStyle, visitorsStyle } from './first-paint.mjs'
import { buildPageScript } from './page-script.mjs'
import { listPages } from './pages.mjs'
import { removeNext, replaceAllScripts } from './strip.mjs'

const pages = await listPages()
const rules = await appStyle(pages)
const { sources, prefixes } = await buildPageScript(await visitorsStyle(pages))
await replaceAllScripts(pages, sources, await buildAppScripts(rules))
await paintFirst(pages, prefixes)
await shareStyle(pages, rules)
await removeNext(pages)
await addEarlyScripts(pages)
await writePolicies(pages)
await compressExport()
console.log(`postbuild: ${pages.length} pages ready in out/, policies in csp.caddy`)
