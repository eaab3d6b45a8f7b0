import { browserStore } from '@/lib/storage'

const KEY = 'fledge_analytics'

/** The visitor's answer to the consent banner. */
export type Consent = 'accepted' | 'declined'

/** The answer where storage is blocked: it lasts until the page is left. */
let inMemory: Consent | null = null

/** The visitor's answer, kept in this browser; `null` when nobody has answered yet. */
export function readConsent(): Consent | null {
  const stored = browserStore.get(KEY)
  return stored === 'accepted' || stored === 'declined' ? stored : inMemory
}

/** Stores the visitor's answer for every page and tab of the site. */
export function storeConsent(consent: Consent): void {
  inMemory = browserStore.set(KEY, consent) ? null : consent
}

/** Calls `listener` when the visitor answers in another tab, or on another page before they come back to this one. */
export function onConsentElsewhere(listener: (consent: Consent) => void): void {
  window.addEventListener('storage', ({ key }) => {
    const consent = readConsent()
    if (key === KEY && consent) listener(consent)
  })
  // No `storage` event reaches a page that the browser keeps for when the visitor comes back.
  let left: Consent | null = null
  window.addEventListener('pagehide', () => (left = readConsent()))
  window.addEventListener('pageshow', ({ persisted }) => {
    const consent = readConsent()
    if (persisted && consent && consent !== left) listener(consent)
  })
}

/** Whether the browser opts out of tracking for the visitor: Do Not Track or Global Privacy Control. */
export function browserOptsOut(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    globalPrivacyControl?: boolean
  }
  return doNotTrack === '1' || globalPrivacyControl === true
}
