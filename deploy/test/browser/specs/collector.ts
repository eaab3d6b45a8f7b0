import { gunzipSync } from 'node:zlib'

import type { Page, Request, Route } from '@playwright/test'

import { siteURL } from './stack.ts'

const POSTHOG = 'https://eu.i.posthog.com/**'
const GOOGLE = 'https://www.googletagmanager.com/gtag/js?id=*'

/** The storage key of a visitor's consent. */
export const CHOICE = 'fledge_analytics'

/** An event that was sent to one of the two analytics services. */
export interface Told {
  to: 'posthog' | 'google'
  event: string
  path: string
  text: string
}

/**
 * A fake of gtag.js: works through the queue as the real one does, and sends each event. The real one's cookies and
 * pings are not part of it.
 */
const tag = `
  const send = ([command, name, parameters]) => {
    if (command !== 'event' || window['ga-disable-G-TEST']) return
    const body = JSON.stringify({ name, ...parameters })
    fetch('https://region1.google-analytics.com/g/collect', { method: 'POST', body, keepalive: true }).catch(() => {})
  }
  window.dataLayer.forEach(send)
  window.dataLayer.push = (command) => { send(command); return 0 }
`

interface Event {
  event: string
  properties: { path?: string; $pathname?: string }
}

/** The text of a request to PostHog, which may be compressed. */
function textOf(request: Request): string {
  const body = request.postDataBuffer() ?? Buffer.alloc(0)
  return body[0] === 0x1f ? gunzipSync(body).toString() : body.toString()
}

export interface Collector {
  told: Told[]
  /** The events of PostHog, in the order of their arrival. */
  events(): string[]
  /** When the tag's script was requested, once for each request. */
  scripts: number[]
}

/** Fakes both services for a page; `script` may replace the response for the tag's script. */
export async function collect(
  page: Page,
  script: (route: Route, tries: number) => Promise<void> = (route) =>
    route.fulfill({ contentType: 'text/javascript', body: tag }),
): Promise<Collector> {
  const told: Told[] = []
  const scripts: number[] = []
  await page.addInitScript(() => {
    // PostHog takes no events of a browser that says it is driven by a program.
    Object.defineProperty(Navigator.prototype, 'webdriver', { get: () => false })
  })
  await page.route(POSTHOG, async (route) => {
    const text = textOf(route.request())
    if (new URL(route.request().url()).pathname !== '/e/') {
      told.push({ to: 'posthog', event: route.request().url(), path: '', text })
    } else {
      for (const { event, properties } of (JSON.parse(text) as { batch: Event[] }).batch) {
        told.push({ to: 'posthog', event, path: properties.$pathname ?? '', text })
      }
    }
    await route.fulfill({ json: { status: 1 } })
  })
  await page.route(GOOGLE, (route) => {
    scripts.push(Date.now())
    return script(route, scripts.length)
  })
  await page.route('https://*.google-analytics.com/**', async (route) => {
    const text = textOf(route.request())
    const { name, page_path } = JSON.parse(text) as { name: string; page_path?: string }
    told.push({ to: 'google', event: name, path: page_path ?? '', text })
    await route.fulfill({ status: 204 })
  })
  const events = () => told.filter(({ to }) => to === 'posthog').map(({ event }) => event)
  return { told, scripts, events }
}

/** The storage of a browser before its first page, with a visitor's consent. */
export function answered(choice: 'accepted' | 'declined') {
  const localStorage = [{ name: CHOICE, value: choice }]
  return { cookies: [], origins: [{ origin: siteURL, localStorage }] }
}
