/**
 * What happens to the export after `next build`: text pages lose the Next run-time and get a small
 * script of their own, sign-in pages get one that runs before all others, visitors' pages paint their
 * text first, every page gets its Content-Security-Policy, every file its compressed forms.
 */
import { compressExport } from './compress.mjs'
import { writePolicies } from './csp.mjs'
import { addEarlyScript, buildEarlyScript } from './early-script.mjs'
import { buildFirstPaint, paintFirst } from './first-paint.mjs'
import { buildPageScript } from './page-script.mjs'
import { listPages } from './pages.mjs'
import { stripTextPages } from './strip.mjs'

const pages = await listPages()
await stripTextPages(pages, await buildPageScript())
await paintFirst(pages, await buildFirstPaint())
await addEarlyScript(pages, await buildEarlyScript())
await writePolicies(pages)
await compressExport()
console.log(`postbuild: ${pages.length} pages ready in out/, policies in csp.caddy`)
