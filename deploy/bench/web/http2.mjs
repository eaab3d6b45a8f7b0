import { execFileSync } from 'node:child_process'
import { request as forward } from 'node:http'
import { createSecureServer } from 'node:http2'

// prettier-ignore
const certificate = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=localhost', '-keyout', '-']

/** Serves over HTTP/2, as an installation does, with a certificate that browsers have to be told to take. */
export async function serve(answer) {
  const pem = execFileSync('openssl', certificate, { stdio: ['ignore', 'pipe', 'ignore'] })
  const server = createSecureServer({ key: pem, cert: pem }, answer)
  await new Promise((resolve) => server.listen(0, 'localhost', resolve))
  return {
    url: `https://localhost:${server.address().port}`,
    close: () => new Promise((resolve) => server.close(resolve)),
  }
}

/** The same for what `site` serves over HTTP/1.1; its cookies are those of the same host. */
export const serveSite = (site) =>
  serve((request, response) => {
    const own = Object.entries(request.headers).filter(([name]) => !name.startsWith(':'))
    const headers = { ...Object.fromEntries(own), host: new URL(site).host, origin: site }
    const asked = forward(site + request.url, { method: request.method, headers }, (answered) => {
      const {
        connection: _,
        'keep-alive': __,
        'transfer-encoding': ___,
        ...kept
      } = answered.headers
      response.writeHead(answered.statusCode, kept)
      answered.pipe(response)
    })
    asked.on('error', () => response.destroy())
    request.pipe(asked)
  })
