import { isProblem } from './problem'

/** The time for all waits together, in seconds. */
const PATIENCE = 20

/**
 * The seconds before a call that the rate limit has refused (429) is made again: what the server asks for (`asked`), or as
 * long as was waited so far, with jitter, because many people may share an address.
 */
export function secondsToWait(asked: number, waited: number): number {
  return Math.max(asked, waited) * (1 + Math.random() / 2)
}

/**
 * Repeats a call while the rate limit refuses it (429). A refused call has done nothing.
 */
export async function patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let waited = 0; ;) {
    try {
      return await call()
    } catch (problem) {
      const busy = isProblem(problem) && problem.kind === 'answer' && problem.status === 429
      const asked = busy ? problem.retryAfter : undefined
      if (!asked) throw problem
      const seconds = secondsToWait(asked, waited)
      waited += seconds
      if (waited > PATIENCE) throw problem
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }
}
