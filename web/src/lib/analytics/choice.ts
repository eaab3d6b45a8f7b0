import { browserStore } from '@/lib/storage'

const CHOICE = 'fledge_analytics'

/** What a visitor answered when asked whether the use of the site may be measured. */
export type Choice = 'accepted' | 'declined'

/** The answer of this page alone, where storage is forbidden. */
let spoken: Choice | null = null

/** The visitor's answer, kept in this browser; `null` when nobody has answered yet. */
export function readChoice(): Choice | null {
  const kept = browserStore.get(CHOICE)
  return kept === 'accepted' || kept === 'declined' ? kept : spoken
}

/** Keeps the visitor's answer, for every page of the site and every tab. */
export function keepChoice(choice: Choice): void {
  spoken = browserStore.set(CHOICE, choice) ? null : choice
}

/** Calls `answered` with an answer that is given in another tab. */
export function onChoiceElsewhere(answered: (choice: Choice) => void): void {
  window.addEventListener('storage', ({ key }) => {
    const choice = readChoice()
    if (key === CHOICE && choice) answered(choice)
  })
}

/** Whether the browser itself asks not to be tracked: Do Not Track or Global Privacy Control. */
export function refusedByBrowser(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & {
    globalPrivacyControl?: boolean
  }
  return doNotTrack === '1' || globalPrivacyControl === true
}
