/**
 * Opens the public pages of a running site in Firefox and in WebKit as a distribution packages them
 * (Debian: firefox-esr, webkit2gtk-driver and xvfb), which Playwright does not drive:
 * `node --experimental-websocket other-browsers.mjs http://localhost:8080`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'

const [site = 'http://localhost:8080'] = process.argv.slice(2)

const button = (text) =>
  `[...document.querySelectorAll('main button')].find((button) => button.textContent === '${text}')`

/** A page, what is done on it, and what is true soon afterwards. */
const visits = [
  ['/', null, `document.body.innerText.includes('Coming Soon')`],
  ['/blog', null, `document.body.innerText.includes('All Articles')`],
  ['/terms', null, `document.querySelectorAll('main h2').length >= 13`],
  [
    '/closed-beta',
    `${button('Sign In')}?.click()`,
    `document.querySelector('dialog[open]')?.innerText.includes('Continue with Google')`,
  ],
  ['/profile', null, `location.pathname === '/' && document.body.innerText.includes('Coming Soon')`],
]
const supported = `document.getElementById('outdated-browser').hidden`

const started = []

/** Starts a program; the promise has the first line on one of its outputs that matches `said`. */
function start(program, args, said, env = {}) {
  const child = spawn(program, args, { env: { ...process.env, ...env } })
  started.push(child)
  return new Promise((resolve, reject) => {
    child.on('error', () => reject(new Error(`${program} is not installed`)))
    for (const output of [child.stdout, child.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        const match = said.exec(line)
        if (match) resolve(match)
      })
    }
  })
}

/** Firefox, by WebDriver BiDi, which also tells what went wrong on a page. */
async function firefox() {
  const profile = mkdtempSync(path.join(tmpdir(), 'firefox-'))
  const [, address] = await start(
    'firefox-esr',
    ['--headless', '--profile', profile, '--remote-debugging-port', '0'],
    /WebDriver BiDi listening on (ws:\S+)/,
  )
  const socket = new WebSocket(`${address}/session`)
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))
  const waiting = new Map()
  const errors = []
  socket.onmessage = ({ data }) => {
    const { id, method, params, result, message } = JSON.parse(data)
    if (method === 'log.entryAdded' && params.level === 'error') errors.push(params.text)
    if (message) waiting.get(id)?.reject(new Error(message))
    else waiting.get(id)?.resolve(result)
  }
  const call = (method, params) =>
    new Promise((resolve, reject) => {
      const id = waiting.size + 1
      waiting.set(id, { resolve, reject })
      socket.send(JSON.stringify({ id, method, params }))
    })
  await call('session.new', { capabilities: {} })
  await call('session.subscribe', { events: ['log.entryAdded'] })
  const { contexts } = await call('browsingContext.getTree', {})
  const { context } = contexts[0]
  return {
    errors,
    open: (url) => call('browsingContext.navigate', { context, url, wait: 'complete' }),
    ask: async (expression) => {
      const target = { context }
      const answer = await call('script.evaluate', { expression, target, awaitPromise: false })
      return answer.result?.value
    },
    close: async () => {
      await Promise.all([once(started.at(-1), 'exit'), call('browser.close', {})])
      rmSync(profile, { recursive: true, force: true })
    },
  }
}

const libraries = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`
const miniBrowser = ['4.1', '4.0']
  .map((version) => `${libraries}/webkit2gtk-${version}/MiniBrowser`)
  .find((file) => existsSync(file))

/** WebKit, by WebDriver. It tells of no errors: what a page does has to show them. */
async function webkit() {
  const [display] = await start('Xvfb', ['-displayfd', '1', '-screen', '0', '1280x900x24'], /^\d+$/)
  const port = 20_000 + (process.pid % 10_000)
  void start('WebKitWebDriver', ['-p', `${port}`], /never/, { DISPLAY: `:${display}` }).catch(() => {})
  const call = async (method, route, body) => {
    const address = `http://127.0.0.1:${port}${route}`
    const response = await fetch(address, { method, ...(body && { body: JSON.stringify(body) }) })
    const { value } = await response.json()
    if (!response.ok) throw new Error(value.message)
    return value
  }
  await soon(() => call('GET', '/status').then(({ ready }) => ready, () => false))
  const options = { binary: miniBrowser, args: ['--automation'] }
  const { sessionId } = await call('POST', '/session', {
    capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } },
  })
  const session = `/session/${sessionId}`
  return {
    errors: [],
    open: (url) => call('POST', `${session}/url`, { url }),
    ask: (expression) =>
      call('POST', `${session}/execute/sync`, { script: `return ${expression}`, args: [] }),
    close: () => call('DELETE', session),
  }
}

/** Whether `holds` within ten seconds. */
async function soon(holds) {
  for (const end = Date.now() + 10_000; Date.now() < end; await pause(250)) {
    if (await holds()) return true
  }
  return false
}

let failures = 0
for (const launch of [firefox, webkit]) {
  try {
    const browser = await launch()
    for (const [route, act, expected] of visits) {
      await browser.open(site + route)
      const done = await soon(async () => {
        // Until the page's script has come, nobody hears the click.
        if (act) await browser.ask(act)
        return browser.ask(`Boolean(${expected})`)
      })
      const ok = done && (await browser.ask(supported)) && browser.errors.length === 0
      if (!ok) failures += 1
      console.log(`${ok ? 'ok    ' : 'FAILED'} ${launch.name} ${route} ${browser.errors.splice(0)}`)
    }
    await browser.close()
  } catch (error) {
    failures += 1
    console.log(`FAILED ${launch.name}: ${error.message}`)
  }
}
for (const child of started) child.kill()
process.exit(failures === 0 ? 0 : 1)
