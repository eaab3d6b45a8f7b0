import { loadSettings } from '@/config/settings'
import { safeLocation } from './location'

const VISITOR = 'fledge_visitor'
const RETRY_MS = 1000

export type EventName = 'Page View' | 'Button Click' | 'Form Submission' | 'Error'
type Properties = Record<string, string | number | boolean | null>

function visitor(): string {
  try {
    const known = localStorage.getItem(VISITOR)
    if (known) return known
    const id = crypto.randomUUID()
    localStorage.setItem(VISITOR, id)
    return id
  } catch {
    // Storage may be forbidden; the events of this page still belong together.
    return 'anonymous'
  }
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

/**
 * Sends an event to the product-analytics service (PostHog's capture API). Sends nothing without a
 * project key in /config.json, on the sign-in pages, or when the browser asks not to be tracked.
 * Never rejects: a failure is only logged.
 */
export async function track(event: EventName, properties: Properties = {}): Promise<void> {
  const page = safeLocation(window.location)
  if (!page || refused()) return
  const { analytics } = await loadSettings()
  if (!analytics.posthogKey) return
  const body = JSON.stringify({
    api_key: analytics.posthogKey,
    event,
    distinct_id: visitor(),
    timestamp: new Date().toISOString(),
    properties: {
      ...properties,
      ...page,
      $current_url: window.location.origin + page.path + page.search + page.hash,
      $pathname: page.path,
    },
  })
  await send(`${analytics.posthogHost.replace(/\/$/, '')}/i/v0/e/`, body)
}
