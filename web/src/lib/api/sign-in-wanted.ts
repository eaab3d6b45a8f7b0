import { isProblem } from './problem'

/**
 * The sign-in that the server wants before it does something: `fresh`, one of the last 15 minutes, or `staff`, one in
 * this browser within the last 12 hours.
 */
export type SignInWanted = 'fresh' | 'staff'

const codes = new Map<string, SignInWanted>([
  ['fresh_sign_in_required', 'fresh'],
  ['staff_sign_in_required', 'staff'],
])

/** What sign-in a failure asks for; null for any other failure. */
export function signInWanted(error: unknown): SignInWanted | null {
  if (!isProblem(error) || error.kind !== 'answer' || !error.code) return null
  return codes.get(error.code) ?? null
}
