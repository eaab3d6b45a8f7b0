import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export const APP = 'fledge://auth/callback'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
export const PKCE = `code_challenge=${CHALLENGE}&code_challenge_method=S256`

/** Listens on a loopback address, as an app does that waits for its code. */
export async function listen() {
  const received: { path: string; query: Record<string, string>; referer?: string }[] = []
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (url.pathname === '/auth/callback') {
      const { referer } = request.headers
      const query = Object.fromEntries(url.searchParams)
      received.push({ path: url.pathname, query, ...(referer && { referer }) })
    }
    response.setHeader('Content-Type', 'text/html').end('<h1>The app</h1>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    received,
    start: `/auth?provider=google&callback=http://127.0.0.1:${port}/auth/callback&state=s%26t&${PKCE}`,
    close: () => server.close(),
  }
}
