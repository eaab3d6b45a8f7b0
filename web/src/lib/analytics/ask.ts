import { paths } from '@/config/paths'
import { hasAnalytics, loadSettings } from '@/config/settings'
import { applyChoice } from './analytics'
import { type Choice, keepChoice, onChoiceElsewhere, readChoice, refusedByBrowser } from './choice'
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

const now: Record<Choice, string> = {
  accepted: 'You have accepted this.',
  declined: 'You have declined this.',
}

let banner: HTMLElement | undefined
/** The link that asked for the question again; the focus goes back there. */
let opener: HTMLElement | null = null

function close(): void {
  banner?.remove()
  opener?.focus()
  opener = null
}

function show(): void {
  if (!banner) return
  const choice = readChoice()
  const line = banner.querySelector<HTMLElement>('[data-consent-now]')
  if (line) {
    line.hidden = choice === null
    line.textContent = choice && now[choice]
  }
  const first = document.querySelector('.skip-link')
  if (first) first.after(banner)
  else document.body.prepend(banner)
}

/** The question: a region of the page that takes no focus, and leaves the page usable. */
function build(): HTMLElement {
  const section = document.createElement('section')
  section.dataset.consent = ''
  section.setAttribute('aria-label', 'Privacy choices')
  section.tabIndex = -1
  section.innerHTML = markup
  section.addEventListener('click', ({ target }) => {
    if (!(target instanceof HTMLButtonElement)) return
    keepChoice(target.value as Choice)
    close()
    void applyChoice()
  })
  section.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && readChoice()) close()
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
  onChoiceElsewhere(() => {
    close()
    void applyChoice()
  })
}

/**
 * Asks whether the use of the site may be measured, once in a browser, and lets the footer's 'Privacy
 * choices' ask again. Asks nothing without a key in /config.json, on the sign-in pages, or when the
 * browser has answered already by asking not to be tracked.
 */
export async function askForConsent(): Promise<void> {
  // Something may have been stored after the refusal, by a tab that was asleep then.
  if (refusedByBrowser() || readChoice() === 'declined') removeStored()
  if (refusedByBrowser() || !hasAnalytics(await loadSettings())) return
  if (!banner) {
    banner = build()
    listen()
  }
  // Shows the footer's link.
  document.documentElement.dataset.analytics = ''
  if (!safeLocation(window.location)) close()
  else if (!readChoice()) show()
}
