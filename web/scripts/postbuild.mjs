/**
 * What happens to the export after `next build`: visitors' pages lose the Next run-time, get small
 * scripts of their own and paint their text first, sign-in pages get one that runs before all others,
 * every page gets its Content-Security-Policy, every file its compressed forms.
 */
import { compressExport } from './compress.mjs'
import { writePolicies } from './csp.mjs'
import { addEarlyScript, buildEarlyScript } from './early-script.mjs'
import { buildFirstPaint, paintFirst, shareStyle, visitorsStyle } from './first-paint.mjs'
import { buildPageScript } from './page-script.mjs'
import { listPages } from './pages.mjs'
import { stripVisitorsPages } from './strip.mjs'

const pages = await listPages()
const { sources, prefixes } = await buildPageScript(await visitorsStyle(pages))
await stripVisitorsPages(pages, sources)
await paintFirst(pages, await buildFirstPaint(), prefixes)
await shareStyle(pages)
await addEarlyScript(pages, await buildEarlyScript())
await writePolicies(pages)
await compressExport()
console.log(`postbuild: ${pages.length} pages ready in out/, policies in csp.caddy`)
