import { loadSettings } from '@/config/settings'
import type { User } from '@/lib/api/types'
import { safeLocation } from './location'

/** The random name of this browser's visitor, and the id of the person that it was made known as. */
const VISITOR = 'fledge_visitor'
const PERSON = 'fledge_person'
const RETRY_MS = 1000

export type EventName = 'Page View' | 'Button Click' | 'Form Submission' | 'Error'
type Properties = Record<string, string | number | boolean | null>

/** Storage may be forbidden; then nothing is kept, and the events of this page still belong together. */
function kept(name: string): string | null {
  try {
    return localStorage.getItem(name)
  } catch {
    return null
  }
}

function keep(name: string, value: string): boolean {
  try {
    localStorage.setItem(name, value)
    return true
  } catch {
    return false
  }
}

function visitor(): string {
  const known = kept(VISITOR)
  if (known) return known
  const id = crypto.randomUUID()
  return keep(VISITOR, id) ? id : 'anonymous'
}

function refused(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    globalPrivacyControl?: boolean
  }
  return doNotTrack === '1' || globalPrivacyControl === true
}

async function send(url: string, body: string): Promise<void> {
  const post = () => fetch(url, { method: 'POST', body, credentials: 'omit', keepalive: true })
  try {
    await post()
  } catch {
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
    await post().catch(() => console.warn('analytics: event not delivered'))
  }
}

interface Project {
  key: string
  host: string
}

/** Where events go, and the page they are about; null when nothing may be sent. */
async function destination() {
  const page = safeLocation(window.location)
  if (!page || refused()) return null
  const { posthogKey: key, posthogHost } = (await loadSettings()).analytics
  return key ? { page, project: { key, host: posthogHost.replace(/\/$/, '') } } : null
}

function capture({ key, host }: Project, event: string, id: string, properties: object) {
  const body = JSON.stringify({
    api_key: key,
    event,
    distinct_id: id,
    timestamp: new Date().toISOString(),
    properties,
  })
  return send(`${host}/i/v0/e/`, body)
}

/**
 * Sends an event to the product-analytics service (PostHog's capture API). Sends nothing without a
 * project key in /config.json, on the sign-in pages, or when the browser asks not to be tracked.
 * Never rejects: a failure is only logged.
 */
export async function track(event: EventName, properties: Properties = {}): Promise<void> {
  const to = await destination()
  if (!to) return
  const { page, project } = to
  await capture(project, event, kept(PERSON) ?? visitor(), {
    ...properties,
    ...page,
    $current_url: window.location.origin + page.path + page.search + page.hash,
    $pathname: page.path,
  })
}

/**
 * Makes the signed-in person known by id, e-mail and provider (spec section 4), once in a browser:
 * from then on its events belong to the person, until `forget`. Sends nothing where `track` does not.
 */
export async function identify({ id, email, app_metadata }: User): Promise<void> {
  if (kept(PERSON) === id) return
  const to = await destination()
  if (!to || kept(PERSON) === id) return
  const anonymous = kept(PERSON) ? {} : { $anon_distinct_id: visitor() }
  keep(PERSON, id)
  const { provider } = app_metadata
  await capture(to.project, '$identify', id, { ...anonymous, $set: { email, provider } })
}

/** The next events belong to nobody known, and to nobody who was here before. */
export function forget(): void {
  if (!kept(PERSON)) return
  try {
    localStorage.removeItem(PERSON)
    localStorage.removeItem(VISITOR)
  } catch {
    // What cannot be written was not kept.
  }
}
