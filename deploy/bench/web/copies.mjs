import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync } from 'node:zlib'
import { serve } from './http2.mjs'

/** The floor: a page of the site with its style, fonts and pictures, but without any script. */
export async function still(site, path) {
  const html = await (await fetch(site + path)).text()
  return html
    .replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, '')
    .replace(/<link\b(?=[^>]*\bas="script")[^>]*>/g, '')
}

/** A page as Next.js wrote it, before web/scripts made the site's own of it. */
export function asBuilt(_, path) {
  const file = `../../../web/.next/server/app/${path === '/' ? 'index' : path.slice(1)}.html`
  return readFile(new URL(file, import.meta.url), 'utf8')
}

const built = new URL('../../../web/.next/static/', import.meta.url)

/** The scripts and styles of those, which the export does not have any more; by address. */
export async function builtFiles() {
  const names = await readdir(built, { recursive: true, withFileTypes: true })
  const read = async ({ parentPath, name }) => {
    const file = path.join(parentPath, name)
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    const address = `/_next/static/${path.relative(fileURLToPath(built), file)}`
    return [address, compressed(200, type, await readFile(file))]
  }
  const texts = names.filter((entry) => entry.isFile() && /\.(?:css|js)$/.test(entry.name))
  return new Map(await Promise.all(texts.map(read)))
}

/** Serves copies of `paths`, each made by `make`, and `files`; everything else comes from `site`. */
export async function serveCopies(site, paths, make, files = new Map()) {
  for (const path of paths) {
    const html = Buffer.from(await make(site, path))
    files.set(path, compressed(200, 'text/html; charset=utf-8', html))
  }
  return serve(async (request, response) => {
    const { status, type, body } = files.get(request.url) ?? (await fetched(site + request.url))
    files.set(request.url, { status, type, body })
    response.writeHead(status, { 'Content-Type': type, 'Content-Encoding': 'br' }).end(body)
  })
}

async function fetched(url) {
  const response = await fetch(url)
  const type = response.headers.get('content-type') ?? 'application/octet-stream'
  return compressed(response.status, type, Buffer.from(await response.arrayBuffer()))
}

function compressed(status, type, content) {
  return { status, type, body: brotliCompressSync(content) }
}
