import { paths } from '@/config/paths'
import { hasAnalytics, loadSettings } from '@/config/settings'
import { applyConsent } from './analytics'
import {
  type Consent,
  storeConsent,
  onConsentElsewhere,
  readConsent,
  browserOptsOut,
} from './consent'
import { safeLocation } from './location'
import { removeStored } from './stored'

/** Styled by src/styles/consent.css. Both answers look alike. */
const markup = `
  <p>With your consent, we measure which pages and buttons are used. No advertising.
    <a href="${paths.privacy}">Privacy policy</a></p>
  <p data-consent-now></p>
  <div>
    <button type="button" value="declined">Decline</button>
    <button type="button" value="accepted">Accept</button>
  </div>`

const now: Record<Consent, string> = {
  accepted: 'You have accepted this.',
  declined: 'You have declined this.',
}

let banner: HTMLElement | undefined
/** The footer's button that opened the banner again; it gets the focus back. */
let opener: HTMLElement | null = null

function close(): void {
  banner?.remove()
  opener?.focus()
  opener = null
}

function show(): void {
  if (!banner) return
  const choice = readConsent()
  const line = banner.querySelector<HTMLElement>('[data-consent-now]')
  if (line) {
    line.hidden = choice === null
    line.textContent = choice && now[choice]
  }
  const first = document.querySelector('.skip-link')
  if (first) first.after(banner)
  else document.body.prepend(banner)
}

/** The consent banner: a region, not a dialog. It takes no focus and leaves the page usable. */
function build(): HTMLElement {
  const section = document.createElement('section')
  section.dataset.consent = ''
  section.setAttribute('aria-label', 'Privacy choices')
  section.tabIndex = -1
  section.innerHTML = markup
  section.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return
    storeConsent(target.value as Consent)
    close()
    void applyConsent()
  })
  section.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && readConsent()) close()
  })
  return section
}

function listen(): void {
  document.addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest('[data-privacy-choices] button') : null
    if (!(link instanceof HTMLElement)) return
    opener = link
    show()
    banner?.focus()
  })
  onConsentElsewhere(() => {
    close()
    void applyConsent()
  })
}

/**
 * Shows the consent banner until the visitor answers, and again from the footer's 'Privacy choices'. There is no
 * banner without an analytics key in /config.json, on the sign-in pages, or when the browser opts out.
 */
export async function askForConsent(): Promise<void> {
  // A tab in the background may have stored something after the visitor declined.
  if (browserOptsOut() || readConsent() === 'declined') removeStored()
  if (browserOptsOut() || !hasAnalytics(await loadSettings())) return
  if (!banner) {
    banner = build()
    listen()
  }
  // Shows the footer's link.
  document.documentElement.dataset.analytics = ''
  if (!safeLocation(window.location)) close()
  else if (!readConsent()) show()
}
