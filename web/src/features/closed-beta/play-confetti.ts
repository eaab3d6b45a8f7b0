import type { Confetti } from './confetti'

const START_MS = 500
const LAST_MS = 3000
const BURST_EVERY_MS = 250

/**
 * Plays confetti: bursts for three seconds, after a delay of half a second. Its code is loaded meanwhile; if that
 * takes longer, it plays then, and if that fails, never. Returns a function that stops it.
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
