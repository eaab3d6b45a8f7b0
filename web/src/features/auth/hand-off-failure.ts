import { site } from '@/config/site'
import { isProblem, problemText, SOMETHING_WRONG } from '@/lib/api/problem'

/** What the person is told when the app could not be opened, and whether trying again may help. */
export interface HandOffFailure {
  text: string
  again: boolean
}

// The product's name is read where it is used.
const signedOut = () =>
  `You have been signed out. Go back to ${site.name} on your Mac and sign in again.`
const tokensOff = () =>
  `This version of ${site.name} uses an older sign-in method that is no longer accepted. Update it on your Mac, then sign in again.`

/** Puts the `Problem` of a hand-off into words. */
export function handOffFailure(problem: unknown): HandOffFailure {
  if (!isProblem(problem)) return { text: SOMETHING_WRONG, again: true }
  if (problem.kind === 'no-session') return { text: signedOut(), again: false }
  if (problem.kind === 'answer') {
    if (problem.status === 401) return { text: signedOut(), again: false }
    if (problem.code === 'token_hand_off_disabled') return { text: tokensOff(), again: false }
  }
  return { text: problemText(problem), again: true }
}
