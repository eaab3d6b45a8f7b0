import type { Confetti } from './confetti'

const START_MS = 500
const LAST_MS = 3000
const BURST_EVERY_MS = 250

/**
 * Plays confetti: bursts for three seconds, from half a second on. Its code is fetched at once, and what
 * arrives later plays then; what does not arrive is left out. Returns what stops it.
 */
export function playConfetti(load: () => Promise<() => Confetti>): () => void {
  let stopped = false
  let stopPlaying = () => {}
  const delay = new Promise((resolve) => setTimeout(resolve, START_MS))

  void Promise.all([load().catch(() => null), delay]).then(([create]) => {
    if (stopped || !create) return
    const confetti = create()
    confetti.burst()
    const bursts = setInterval(() => confetti.burst(), BURST_EVERY_MS)
    const end = setTimeout(() => clearInterval(bursts), LAST_MS)
    stopPlaying = () => {
      clearTimeout(end)
      clearInterval(bursts)
      confetti.clear()
    }
  })

  return () => {
    stopped = true
    stopPlaying()
  }
}
