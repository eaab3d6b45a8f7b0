import { createServer } from 'node:http'
import { brotliCompressSync } from 'node:zlib'

/** The floor: the same pages with the same style, fonts and pictures, without any script. */
export async function servePlain(site, paths) {
  const copies = new Map()
  for (const path of paths) {
    const html = await (await fetch(site + path)).text()
    const still = html
      .replace(/<script\b[^>]*>[\s\S]*?<\/script>/g, '')
      .replace(/<link\b(?=[^>]*\bas="script")[^>]*>/g, '')
      // Fonts that a script would put in.
      .replace(/<noscript data-fonts>([\s\S]*?)<\/noscript>/, '$1')
    copies.set(path, await compressed(Buffer.from(still), 'text/html; charset=utf-8'))
  }
  const server = createServer(async (request, response) => {
    const file = copies.get(request.url) ?? (await fetched(site + request.url))
    copies.set(request.url, file)
    response.writeHead(200, { 'Content-Type': file.type, 'Content-Encoding': 'br' }).end(file.body)
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

async function fetched(url) {
  const response = await fetch(url)
  return compressed(Buffer.from(await response.arrayBuffer()), response.headers.get('content-type'))
}

async function compressed(content, type) {
  return { body: brotliCompressSync(content), type }
}
