import { useEffect } from 'react'

const START_MS = 500
const LAST_MS = 3000
const BURST_EVERY_MS = 250

/** Celebrates once per visit of the page, half a second after it is shown; never in reduced motion. */
export function useConfetti(): void {
  useEffect(() => {
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return
    let bursts: ReturnType<typeof setInterval> | undefined
    let end: ReturnType<typeof setTimeout> | undefined
    let clear = () => {}
    let left = false

    const start = setTimeout(async () => {
      // A celebration that does not load is left out.
      const loaded = await import('./feather-cannon').catch(() => null)
      if (left || !loaded) return
      const cannon = loaded.featherCannon()
      clear = cannon.clear
      cannon.burst()
      bursts = setInterval(cannon.burst, BURST_EVERY_MS)
      end = setTimeout(() => clearInterval(bursts), LAST_MS)
    }, START_MS)

    return () => {
      left = true
      clearTimeout(start)
      clearTimeout(end)
      clearInterval(bursts)
      clear()
    }
  }, [])
}
