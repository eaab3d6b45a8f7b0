/**
 * What happens to Next's export after `next build`. With FLEDGE_ISLANDS=off it stays as Next wrote it; otherwise
 * visitors' pages become static documents. Files whose names are hashes are compressed here, pages by the front
 * door when it has filled them in (deploy/caddy/site).
 */
import { rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { bundleIslands } from './bundle-islands.mjs'
import { compressStatic } from './compress.mjs'
import { checkLinks } from './links.mjs'
import { classNames, listPages, out } from './pages.mjs'
import { makeVisitorsStatic } from './visitors.mjs'

// Next's own name for the page that is exported as 404.html.
for (const name of ['_not-found', '_not-found.html', '_not-found.txt']) {
  await rm(path.join(out, name), { recursive: true, force: true })
}
const pages = await listPages()
if (process.env.FLEDGE_ISLANDS !== 'off') {
  await makeVisitorsStatic(pages, await bundleIslands())
}
await rename(path.join(out, 'islands/class-names.json'), classNames)
await rm(path.join(out, 'islands'), { recursive: true })
await checkLinks(pages)
await compressStatic()
console.log(`postbuild: ${pages.length} pages ready in out/`)
