/**
 * Lighthouse, mobile, on the served site: RUNS times (5), every page once in each round, the middle
 * value of each figure. Prints a table, writes it to results.md, and fails when a page misses what it
 * needs; times count only on a machine that has time. FLEDGE_SITE_URL and CHROMIUM say where site and
 * browser are: `make bench-web` starts both.
 */
import './node-version.mjs'
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { launch } from 'chrome-launcher'
import { asBuilt, builtFiles, serveCopies, still } from './copies.mjs'
import { serveSite } from './http2.mjs'
import { measure } from './measure.mjs'
import { compared, pages } from './pages.mjs'
import { report } from './report.mjs'
import { signIn } from './sign-in.mjs'
import { timeSignUp } from './sign-up.mjs'

const site = process.env.FLEDGE_SITE_URL
if (!site) throw new Error('FLEDGE_SITE_URL is not set: start this with `make bench-web`')
const rounds = Number(process.env.RUNS ?? 5)

// Lighthouse visits the site as browsers do: over HTTP/2.
const served = await serveSite(site)
const copies = [
  { what: 'markup and style alone', ...(await serveCopies(site, compared, still)) },
  { what: 'as Next.js writes it', ...(await serveCopies(site, compared, asBuilt, await builtFiles())) },
]
const targets = [
  ...pages.map((page) => ({ ...page, name: page.path, url: served.url + page.path })),
  ...compared.flatMap((path) =>
    copies.map(({ what, url }) => ({ name: `${path} (${what})`, url: url + path })),
  ),
]
const runs = new Map(targets.map(({ name }) => [name, []]))
const loads = []
const signUps = { desk: [], phone: [] }

for (let round = 1; round <= rounds; round++) {
  for (const target of targets) {
    runs.get(target.name).push(await visit(target))
    loads.push(loadavg()[0])
    process.stderr.write(`round ${round}/${rounds}  ${target.name}\n`)
  }
  signUps.desk.push(await timeSignUp(site, process.env.CHROMIUM, false))
  signUps.phone.push(await timeSignUp(site, process.env.CHROMIUM, true))
}
await Promise.all([served, ...copies].map(({ close }) => close()))

/** A visit with a browser of its own, so that no page finds another one's files. */
async function visit(target, tries = 3) {
  const chrome = await launch({
    chromePath: process.env.CHROMIUM,
    chromeFlags: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--ignore-certificate-errors',
    ],
  })
  try {
    if (target.signedIn) await signIn(chrome.port, site, 'admin@fledge.test')
    return await measure(chrome.port, target)
  } catch (error) {
    // Now and then Chromium's trace lacks what Lighthouse computes a figure from.
    process.stderr.write(`${target.name}: ${error.message}\n`)
    if (tries === 1) throw error
  } finally {
    chrome.kill()
  }
  return visit(target, tries - 1)
}

const { text, missed } = report(targets, runs, signUps, {
  date: new Date().toISOString().slice(0, 10),
  commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim(),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  load: `${Math.min(...loads).toFixed(1)} to ${Math.max(...loads).toFixed(1)}`,
  rounds,
})
console.log(text)
await writeFile(new URL('results.md', import.meta.url), text)
if (missed.length > 0) {
  console.error(`bench-web: ${missed.length} missed\n${missed.join('\n')}`)
  process.exitCode = 1
}
