/* eslint-disable no-restricted-properties -- with a fallback for Safari, which lacks requestIdleCallback */

/** Runs `task` when the page is idle; in Safari after a delay. */
export function whenIdle(task: () => void): void {
  if (typeof window.requestIdleCallback === 'function') {
    window.requestIdleCallback(task, { timeout: 4000 })
  } else {
    setTimeout(task, 1500)
  }
}
