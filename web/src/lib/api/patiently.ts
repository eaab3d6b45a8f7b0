import { isProblem } from './problem'

/** The time for all waits together, in seconds. */
const PATIENCE = 20

/**
 * Repeats a call while the rate limit refuses it (429), after the server's Retry-After, with jitter: many people may share
 * an address. A refused call has done nothing.
 */
export async function patiently<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  for (let waited = 0; ;) {
    try {
      return await call()
    } catch (problem) {
      const busy = isProblem(problem) && problem.kind === 'answer' && problem.status === 429
      const asked = busy ? problem.retryAfter : undefined
      if (!asked) throw problem
      const seconds = Math.max(asked, waited) * (1 + Math.random() / 2)
      waited += seconds
      if (waited > PATIENCE) throw problem
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }
}
