import { requestJson } from '@/lib/api/http'
import { answerOf } from '@/lib/api/problem'

/** Run-time settings that the installation serves as /config.json; one build fits every installation. */
export interface Settings {
  analytics: {
    /** Project key of the product-analytics service; `null` sends nothing. */
    posthogKey: string | null
    /** Ingestion origin of the product-analytics service; the CSP must admit it. */
    posthogHost: string
    /** Measurement id of the tag-based web analytics (Google tag); `null` sends nothing. */
    measurementId: string | null
  }
  handOff: {
    /** Whether tokens may pass through the app's link; without, only codes open the app. */
    tokens: boolean
    /** Further links of the app, which take codes only. */
    links: readonly string[]
  }
  /** For how many seconds a deletion can be taken back. */
  deletionGrace: number
}

export const defaultSettings: Settings = {
  analytics: {
    posthogKey: null,
    posthogHost: 'https://eu.i.posthog.com',
    measurementId: null,
  },
  handOff: { tokens: true, links: [] },
  deletionGrace: 7 * 24 * 3600,
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((text) => typeof text === 'string') : []
}

/** The seconds of a duration such as '36h30m' or '0'. */
function seconds(value: unknown): number | null {
  const parts = text(value)?.match(/^0$|\d+[hms]/g)
  if (!parts || parts.join('') !== value) return null
  const sizes: Record<string, number> = { h: 3600, m: 60, s: 1 }
  return parts.reduce((sum, part) => sum + parseInt(part, 10) * (sizes[part.slice(-1)] ?? 0), 0)
}

/** Reads what it knows from `value` and keeps the default for everything missing or of another type. */
export function parseSettings(value: unknown): Settings {
  const { deletionGrace, ...parts } = (value ?? {}) as Record<string, unknown>
  const { analytics, handOff } = parts as Record<string, Record<string, unknown> | null>
  return {
    analytics: {
      posthogKey: text(analytics?.posthogKey),
      posthogHost: text(analytics?.posthogHost) ?? defaultSettings.analytics.posthogHost,
      measurementId: text(analytics?.measurementId),
    },
    handOff: { tokens: handOff?.tokens !== false, links: texts(handOff?.links) },
    deletionGrace: seconds(deletionGrace) ?? defaultSettings.deletionGrace,
  }
}

/** Whether the installation measures anything at all, so that there is something to consent to. */
export function hasAnalytics({ analytics }: Settings): boolean {
  return analytics.posthogKey !== null || analytics.measurementId !== null
}

/** Without a file: the defaults, but nobody is promised that a deletion can be taken back. */
const withoutFile: Settings = { ...defaultSettings, deletionGrace: 0 }

let loading: Promise<Settings> | undefined

/**
 * Fetches /config.json once per page load; an installation without the file has the defaults. Rejects while the file
 * cannot be read, and the next caller asks again: what is refused or let through by a setting may not go by a guess.
 */
export function knownSettings(): Promise<Settings> {
  loading ??= requestJson('/config.json', { credentials: 'omit' }).then(
    parseSettings,
    (problem: unknown) => {
      if (answerOf(problem)?.status === 404) return withoutFile
      loading = undefined
      throw problem
    },
  )
  return loading
}

/** The same, as without the file while it cannot be read. */
export function loadSettings(): Promise<Settings> {
  return knownSettings().catch(() => withoutFile)
}
