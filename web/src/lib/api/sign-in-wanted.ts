import { answerOf } from './problem'

/**
 * What the server wants before it does something: `fresh`, a sign-in of the last 15 minutes, `staff`, one in this
 * browser within the last 12 hours, or `code`, one of the person's authenticator app.
 */
export type SignInWanted = 'fresh' | 'staff' | 'code'

const codes = new Map<string, SignInWanted>([
  ['fresh_sign_in_required', 'fresh'],
  ['staff_sign_in_required', 'staff'],
  ['second_factor_required', 'code'],
])

/** What sign-in a failure asks for; null for any other failure. */
export const signInWanted = (error: unknown): SignInWanted | null =>
  codes.get(answerOf(error)?.code ?? '') ?? null
