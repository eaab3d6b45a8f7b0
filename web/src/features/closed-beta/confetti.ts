import confetti from 'canvas-confetti'
import { markPaths } from '@/components/brand/mark-paths'

/** Below this width the buttons span the screen. */
const NARROW_PX = 480
const colors = ['#f0562b', '#ff8552', '#c2410c', '#e3b567', '#86c79b']

export interface Confetti {
  /** Fires once from both sides. */
  burst(): void
  /** Removes what is still in the air. */
  clear(): void
}

/**
 * Confetti in the form of the brand's feathers. It falls behind the words and buttons of the page, and on
 * a narrow screen starts above them. Drawn on the page's thread: a worker would need a blob script, which
 * the content policy refuses.
 */
export function createConfetti(): Confetti {
  const canvas = document.createElement('canvas')
  canvas.setAttribute('aria-hidden', 'true')
  canvas.style.cssText =
    'position:fixed;inset:0;z-index:-1;width:100%;height:100%;pointer-events:none'
  document.querySelector('main')?.append(canvas)
  const fire = confetti.create(canvas, { resize: true, useWorker: false })
  const shapes = markPaths.map((path) => confetti.shapeFromPath({ path }))
  const options = {
    shapes,
    colors,
    particleCount: 12,
    spread: 70,
    startVelocity: 38,
    scalar: 2.4,
    ticks: 220,
    gravity: 0.7,
    drift: 0.2,
    disableForReducedMotion: true,
  }
  const y = window.innerWidth < NARROW_PX ? 0.35 : 0.75
  return {
    burst() {
      void fire({ ...options, angle: 60, origin: { x: 0, y } })
      void fire({ ...options, angle: 120, origin: { x: 1, y } })
    },
    clear() {
      fire.reset()
      canvas.remove()
    },
  }
}
