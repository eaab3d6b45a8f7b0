import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import {
  expect,
  test,
  type APIRequestContext,
  type BrowserContext,
  type Page,
} from '@playwright/test'

import { newAddress, siteURL } from './stack.ts'

/** How a command of the Mac client ended. */
export interface Outcome {
  code: number | null
  stdout: string
  stderr: string
}

/** A sign-in that waits for the browser. */
export interface Waiting {
  /** What the client asks the person to open. */
  page: string
  outcome: Promise<Outcome>
}

let count = 0

/** A Mac with the reference client, and nothing kept on it yet. */
export class Mac {
  private constructor(private readonly state: string) {}

  /** Its state goes with the results of the test. */
  static fresh(): Mac {
    count += 1
    return new Mac(test.info().outputPath(`mac-${count}`))
  }

  /** Runs a command of the client to its end. */
  run(...args: string[]): Promise<Outcome> {
    return this.start(args).outcome
  }

  /** Starts a sign-in that comes back over a loopback address. */
  async signIn(...args: string[]): Promise<Waiting> {
    const { outcome, output } = this.start(['sign-in', '--print-url', ...args])
    void outcome.then(({ stderr }) => output.end(stderr))
    return { page: await output.page, outcome }
  }

  /** Starts a sign-in that comes back on the app's link, and returns what to open. */
  async askForLink(...args: string[]): Promise<string> {
    const { page, outcome } = await this.signIn('--callback-scheme', ...args)
    expect(await outcome).toMatchObject({ code: 0, stderr: '' })
    return page
  }

  /** Does with a link what macOS does. */
  handle(link: string): Promise<Outcome> {
    return this.run('handle', link)
  }

  /** What the sign-in that waits for a link keeps to itself. */
  async attempt(): Promise<{ verifier: string; state: string; callback: string }> {
    return JSON.parse(await readFile(join(this.state, 'attempt.json'), 'utf8'))
  }

  private start(args: string[]) {
    const program = process.env.FLEDGE_MAC
    if (!program) throw new Error('FLEDGE_MAC is not set: start the suite with `make e2e`')
    const child = spawn(program, args, {
      env: { ...process.env, FLEDGE_MAC_STATE: this.state },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = new PrintedPage()
    const outcome = new Promise<Outcome>((resolve, reject) => {
      let [stdout, stderr] = ['', '']
      child.stdout.setEncoding('utf8').on('data', (text: string) => output.read((stdout += text)))
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
      child.on('error', reject)
      child.on('close', (code) => resolve({ code, stdout, stderr }))
    })
    return { outcome, output }
  }
}

/** The address in what a client prints. */
class PrintedPage {
  private resolve!: (page: string) => void
  private reject!: (error: Error) => void
  readonly page = new Promise<string>((resolve, reject) => {
    this.resolve = resolve
    this.reject = reject
  })

  constructor() {
    this.page.catch(() => undefined) // most commands print none, and nobody waits for it
  }

  read(stdout: string): void {
    const found = /^ {2}(http\S+)\n/m.exec(stdout)
    if (found?.[1]) this.resolve(found[1])
  }

  end(stderr: string): void {
    this.reject(new Error(`the client printed no address: ${stderr}`))
  }
}

/** Chooses an account at the provider's page, to which the browser is on its way. */
export async function chooseAccount(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail', { exact: true }).fill(email)
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
}

/** Agrees that the app gets the account that the page shows. */
export async function agree(page: Page, email: string): Promise<void> {
  await expect(page.getByText(email, { exact: true })).toBeVisible()
  await page.getByRole('button', { name: 'Continue', exact: true }).click()
}

/** Every link of the app that the page has tried to open so far, in order. */
export async function watchLinks(page: Page): Promise<string[]> {
  const links: string[] = []
  const debug = await page.context().newCDPSession(page)
  await debug.send('Page.enable')
  debug.on('Page.frameRequestedNavigation', ({ url }) => {
    if (url.startsWith('fledge:')) links.push(url)
  })
  return links
}

/**
 * Every word that the page shows at any time. A page that is leaving can still say what it shows,
 * but no longer be asked: locators wait until it has left.
 */
export async function watchText(page: Page): Promise<() => string> {
  const texts = new Set<string>()
  await page.exposeFunction('showsText', (text: string) => void texts.add(text))
  await page.addInitScript(() => {
    const { showsText } = globalThis as unknown as { showsText(text: string): void }
    const look = () => document.body && showsText(document.body.innerText) // the head comes first
    new MutationObserver(look).observe(document, {
      childList: true,
      characterData: true,
      subtree: true,
    })
  })
  return () => [...texts].join('\n')
}

/** The link at an index of those that the page opens, once it is there. */
export async function nthLink(links: string[], index: number): Promise<string> {
  await expect.poll(() => links.length, { timeout: 15_000 }).toBeGreaterThan(index)
  return links[index] ?? ''
}

/**
 * Signs a fresh person in, in the browser and on a Mac; returns both. In a tab of its own:
 * Chromium's question about the app's link keeps mouse and keys from a tab, and stays over
 * pages of the same domain, which the provider's is in a cluster.
 */
export async function signedIn(
  context: BrowserContext,
  name: string,
): Promise<{ mac: Mac; email: string }> {
  const mac = Mac.fresh()
  const email = newAddress(name)
  const tab = await context.newPage()
  const links = await watchLinks(tab)
  await tab.goto(await mac.askForLink())
  await chooseAccount(tab, email)
  const outcome = await mac.handle(await nthLink(links, 0))
  expect(outcome).toEqual({ code: 0, stdout: `Signed in as ${email} (google).\n`, stderr: '' })
  await tab.close()
  return { mac, email }
}

/** A call of the API with the session of a page's browser. */
export async function call(
  request: APIRequestContext,
  method: 'GET' | 'POST',
  path: string,
  data?: unknown,
): Promise<{ status: number; body: unknown }> {
  const session = await request.get('/api/auth/session')
  expect(session.status()).toBe(200)
  const { access_token } = (await session.json()) as { access_token: string }
  const headers = { authorization: `Bearer ${access_token}`, origin: siteURL }
  const response = await request.fetch(path, {
    method,
    headers,
    ...(data === undefined ? {} : { data }),
  })
  const text = await response.text()
  return { status: response.status(), body: text === '' ? null : JSON.parse(text) }
}

/** The Macs in the list of devices of whoever is signed in in a page's browser. */
export async function macs(request: APIRequestContext): Promise<{ id: string; name: string }[]> {
  const { body } = await call(request, 'GET', '/api/auth/devices')
  const { data } = body as { data: { id: string; name: string; kind: string }[] }
  return data.filter((device) => device.kind === 'mac')
}

/** Restarts a service of the running stack, and returns when it is back. */
export const restart = (service: string): Promise<void> => control('restart', service)

/** Runs a task while a service of the running stack is stopped. */
export async function whileStopped(service: string, task: () => Promise<void>): Promise<void> {
  await control('stop', service)
  try {
    await task()
  } finally {
    await restart(service)
  }
}

async function control(what: 'restart' | 'stop', service: string): Promise<void> {
  const response = await fetch(`${process.env.FLEDGE_CONTROL_URL}/${what}/${service}`, {
    method: 'POST',
  })
  if (!response.ok) throw new Error(await response.text())
}
