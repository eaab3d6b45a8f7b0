import confetti from 'canvas-confetti'
import { markPaths } from '@/components/brand/mark-paths'

const colors = ['#f0562b', '#ff8552', '#c2410c', '#e3b567', '#86c79b']

/**
 * Throws the brand's own feathers from both sides. Drawn on the page's thread: a worker would need
 * a blob script, which the content policy refuses.
 */
export function featherCannon(): { burst: () => void; clear: () => void } {
  const canvas = document.createElement('canvas')
  canvas.ariaHidden = 'true'
  canvas.style.cssText = 'position:fixed;inset:0;width:100%;height:100%;pointer-events:none'
  document.querySelector('main')?.append(canvas)
  const throwFeathers = confetti.create(canvas, { resize: true, useWorker: false })
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
  return {
    burst() {
      void throwFeathers({ ...options, angle: 60, origin: { x: 0, y: 0.75 } })
      void throwFeathers({ ...options, angle: 120, origin: { x: 1, y: 0.75 } })
    },
    clear() {
      throwFeathers.reset()
      canvas.remove()
    },
  }
}
