import { answerOf } from './problem'

interface Options {
  /** The time for all waits together, in seconds. */
  patience?: number
  /** Called before each wait. */
  onWait?: () => void
}

/**
 * Repeats a call while the rate limit refuses it (429): after what the server asks for, or after as long as was waited
 * so far, with jitter, because many people may share an address. A refused call has done nothing.
 */
export async function patiently<Answer>(
  call: () => Promise<Answer>,
  { patience = 20, onWait }: Options = {},
): Promise<Answer> {
  for (let waited = 0; ;) {
    try {
      return await call()
    } catch (problem) {
      const answer = answerOf(problem)
      const asked = answer?.status === 429 ? answer.retryAfter : undefined
      if (!asked) throw problem
      const seconds = Math.max(asked, waited) * (1 + Math.random() / 2)
      waited += seconds
      if (waited > patience) throw problem
      onWait?.()
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
    }
  }
}
