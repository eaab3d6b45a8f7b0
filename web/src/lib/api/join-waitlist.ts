import { NETWORK_ERROR, SOMETHING_WRONG } from './messages'
import { problemText } from './problem'
import type { WaitlistSource } from './types'

/** How joining went: the server's confirmation, or the sentence to show instead. */
export type JoinOutcome = { ok: true; message: string } | { ok: false; error: string }

/** Loads the store and the API client: the marketing pages ship without them. */
async function load() {
  const [{ makeStore }, { waitlistApi }] = await Promise.all([
    import('@/store/store'),
    import('./waitlist-api'),
  ])
  return { makeStore, waitlistApi }
}

/** Has what a sign-up needs on its way before it is asked for. */
export function prepareToJoin(): void {
  load().catch(() => {}) // joining tries again, and tells
}

/**
 * Signs an address up for the waitlist. Never rejects; a chunk that cannot be loaded counts as a
 * network failure.
 */
export async function joinWaitlist(email: string, source: WaitlistSource): Promise<JoinOutcome> {
  try {
    const { makeStore, waitlistApi } = await load()
    const join = waitlistApi.endpoints.joinWaitlist.initiate({ email, source })
    const { message } = await makeStore().dispatch(join).unwrap()
    return { ok: true, message }
  } catch (error) {
    return { ok: false, error: problemText(error, SOMETHING_WRONG, NETWORK_ERROR) }
  }
}
