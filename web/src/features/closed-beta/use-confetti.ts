import { useEffect } from 'react'
import { playConfetti } from './play-confetti'

const load = () => import('./confetti').then(({ createConfetti }) => createConfetti)

/** Celebrates once per visit of the page; never with reduced motion. */
export function useConfetti(): void {
  useEffect(() => {
    if (window.matchMedia('(prefers-reduced-motion: reduce)').matches) return
    return playConfetti(load)
  }, [])
}
